/* texts_service.h - texts of the screens about the service itself: agents, policies, exports, access, record. */
#ifndef FILTERD_PAGE_TEXTS_SERVICE_H
#define FILTERD_PAGE_TEXTS_SERVICE_H

#define TEXTS_SERVICE(X)                                                                                                           \
    X(TEXT_AGENTS, "Agents", "Agenten")                                                                                            \
    X(TEXT_AGENT, "Agent", "Agent")                                                                                                \
    X(TEXT_TENANT, "Tenant", "Mandant")                                                                                            \
    X(TEXT_STATE, "State", "Zustand")                                                                                              \
    X(TEXT_SCORE, "Violations", "Verstöße")                                                                                        \
    X(TEXT_JAILS, "Jails", "Jails")                                                                                                \
    X(TEXT_FIRST, "First", "Zuerst")                                                                                               \
    X(TEXT_LAST, "Last", "Zuletzt")                                                                                                \
    X(TEXT_CHANGE, "Change", "Ändern")                                                                                             \
    X(TEXT_REASON, "Reason", "Grund")                                                                                              \
    X(TEXT_KILL, "Kill", "Beenden")                                                                                                \
    X(TEXT_REVIVE, "Revive", "Wiederbeleben")                                                                                      \
    X(TEXT_AGENTS_NONE, "No agent has an account, and none runs in a jail.",                                                       \
      "Kein Agent hat ein Konto, und keiner läuft in einem Jail.")                                                                 \
    X(TEXT_AGENTS_MORE, "There are more agents than this list shows: filterctl agents list has all.",                              \
      "Es gibt mehr Agenten, als hier stehen: filterctl agents list zeigt alle.")                                                  \
    X(TEXT_KILL_OTHER, "Kill an agent by name", "Einen Agenten nach Namen beenden")                                                \
    X(TEXT_NOTICE_KILLED, "The kill is ordered and goes on record.", "Das Beenden ist angeordnet und wird protokolliert.")         \
    X(TEXT_NOTICE_REVIVED, "The agent is active again.", "Der Agent ist wieder aktiv.")                                            \
    X(TEXT_FAULT_REASON, "A reason of 1 to 100 bytes and the name of an agent expected.",                                          \
      "Ein Grund von 1 bis 100 Byte und der Name eines Agenten werden gebraucht.")                                                 \
    X(TEXT_FAULT_LEDGER, "The ledger is full: what ran in jails was ended, but the agent could not be barred.",                    \
      "Das Konto ist voll: was in Jails lief, wurde beendet, doch der Agent ließ sich nicht sperren.")                             \
    X(TEXT_POLICIES, "Policies", "Richtlinien")                                                                                    \
    X(TEXT_POLICY, "Policy", "Richtlinie")                                                                                         \
    X(TEXT_NAME, "Name", "Name")                                                                                                   \
    X(TEXT_RULES_N, "Rules", "Regeln")                                                                                             \
    X(TEXT_SHADOW, "Shadow", "Nur beobachtend")                                                                                    \
    X(TEXT_DIGEST, "Digest", "Digest")                                                                                             \
    X(TEXT_BEFORE, "Before", "Vorher")                                                                                             \
    X(TEXT_AFTER, "After", "Nachher")                                                                                              \
    X(TEXT_WHAT, "What", "Was")                                                                                                    \
    X(TEXT_BY, "By", "Von")                                                                                                        \
    X(TEXT_IN_FORCE, "In force", "In Kraft")                                                                                       \
    X(TEXT_HISTORY, "Changes on record", "Protokollierte Änderungen")                                                              \
    X(TEXT_HISTORY_NONE, "No change is on record within reach of the index.",                                                      \
      "Im Index steht keine Änderung.")                                                                                            \
    X(TEXT_DIFFERENCE, "What changed", "Was sich geändert hat")                                                                    \
    X(TEXT_REPLAY, "Replay of a candidate policy", "Erprobung einer Richtlinie")                                                   \
    X(TEXT_REPLAY_JUDGED, "%s sealed exchanges judged again", "%s versiegelte Austausche neu beurteilt")                           \
    X(TEXT_REPLAY_CHANGED, "%s verdicts would change", "%s Urteile würden sich ändern")                                            \
    X(TEXT_REPLAY_FAILED, "%s could not be opened or judged", "%s nicht zu öffnen oder zu beurteilen")                             \
    X(TEXT_REPLAY_N, "Verdicts", "Urteile")                                                                                        \
    X(TEXT_REPLAY_LINE, "Line", "Zeile")                                                                                           \
    X(TEXT_REPLAY_LINES, "First changes", "Erste Änderungen")                                                                      \
    X(TEXT_POLICY_LOST, "The text of this policy was not kept: texts are kept since this version, and with a state directory.",    \
      "Der Text dieser Richtlinie wurde nicht aufbewahrt: das geschieht erst seit dieser Version und mit Zustandsverzeichnis.")    \
    X(TEXT_POLICY_SAME, "The file is the same: what changed are rules, recipients or filterd itself.",                             \
      "Die Datei ist gleich: geändert haben sich Regeln, Empfänger oder filterd selbst.")                                          \
    X(TEXT_POLICY_WHOLE, "Text", "Text")                                                                                           \
    X(TEXT_POLICY_LONG, "The text is too long for a page; it is in the folder policies of the state directory.",                   \
      "Der Text ist zu lang für eine Seite; er liegt im Ordner policies des Zustandsverzeichnisses.")                              \
    X(TEXT_EXPORTS, "Exports", "Exporte")                                                                                          \
    X(TEXT_EXPORT_HOW, "A bundle has the lines, their proofs, the checkpoint, the texts in force and a verifier. It is kept for an hour, for you.", \
      "Ein Bündel enthält die Zeilen, ihre Beweise, den Checkpoint, die geltenden Texte und ein Prüfprogramm. Es bleibt eine Stunde, für Sie.") \
    X(TEXT_EXPORT, "Export",                                                                                                       \
      "Export")                                                                                                                    \
    X(TEXT_EXPORT_MAKE, "Make the bundle",                                                                                         \
      "Bündel erstellen")                                                                                                          \
    X(TEXT_EXPORT_RUNNING, "The bundle is being made, %s lines so far.",                                                           \
      "Das Bündel entsteht, bisher %s Zeilen.")                                                                                    \
    X(TEXT_EXPORT_LOOK, "Look again",                                                                                              \
      "Noch einmal ansehen")                                                                                                       \
    X(TEXT_EXPORT_DONE, "The bundle is made, %s lines. It is kept until",                                                          \
      "Das Bündel ist fertig, %s Zeilen. Es bleibt bis")                                                                           \
    X(TEXT_EXPORT_FAILED, "The bundle could not be made:",                                                                         \
      "Das Bündel konnte nicht erstellt werden:")                                                                                  \
    X(TEXT_EXPORT_BY_COMMAND, "By a command",                                                                                      \
      "Mit einem Befehl")                                                                                                          \
    X(TEXT_EXPORT_COMMAND_HOW, "The command makes the same bundle on the machine of the record, also of more than 1 GiB.",         \
      "Der Befehl erstellt dasselbe Bündel auf der Maschine des Protokolls, auch mit mehr als 1 GiB.")                             \
    X(TEXT_NOTICE_EXPORT, "The export is on record.",                                                                              \
      "Der Export ist protokolliert.")                                                                                             \
    X(TEXT_FAULT_EXPORT, "A query that is understood and a purpose are expected, without secrets.",                                \
      "Eine verständliche Abfrage und ein Zweck werden erwartet, ohne Geheimnisse.")                                               \
    X(TEXT_FAULT_EXPORT_RUNS, "An export of yours is being made already.",                                                         \
      "Ein Export von Ihnen entsteht schon.")                                                                                      \
    X(TEXT_FAULT_EXPORT_FULL, "Other exports are being made, or the disk is too full. Try again later.",                           \
      "Andere Exporte entstehen, oder es ist zu wenig Platz. Bitte später wieder versuchen.")                                      \
    X(TEXT_QUERY, "Query", "Abfrage")                                                                                              \
    X(TEXT_PURPOSE, "Purpose", "Zweck")                                                                                            \
    X(TEXT_SHOW_COMMAND, "Show the command", "Befehl zeigen")                                                                      \
    X(TEXT_COMMAND, "Command", "Befehl")                                                                                           \
    X(TEXT_EXPORTS_DONE, "Exports on record", "Protokollierte Exporte")                                                            \
    X(TEXT_EXPORTS_NONE, "No export is on record within reach of the index.", "Im Index steht kein Export.")                       \
    X(TEXT_FAULT_QUERY, "The query was not understood. Fields are in filterctl-log's manual: action:block agent:a* since:7d.",     \
      "Die Abfrage war nicht verständlich. Beispiel: action:block agent:a* since:7d.")                                             \
    X(TEXT_ACCESS, "Access", "Zugriffe")                                                                                           \
    X(TEXT_ACCESS_HOW, "Who looked at which lines of the record. Each of these lines was on disk before anything was shown.",      \
      "Wer welche Zeilen des Protokolls angesehen hat. Jede dieser Zeilen war gespeichert, bevor etwas gezeigt wurde.")            \
    X(TEXT_ACCESS_NONE, "Nobody has looked at the record within reach of the index.",                                              \
      "Im Index steht kein Zugriff.")                                                                                              \
    X(TEXT_LINE, "Line", "Zeile")                                                                                                  \
    X(TEXT_RECORD, "Record", "Protokoll")                                                                                          \
    X(TEXT_CHECKPOINT, "Newest checkpoint", "Neuester Checkpoint")                                                                 \
    X(TEXT_CHECKPOINT_SIZE, "signs lines 1 to %s", "unterschreibt die Zeilen 1 bis %s")                                            \
    X(TEXT_CHECKPOINT_NONE, "There is no checkpoint yet, or the record has no proof (proof: off).",                                \
      "Es gibt noch keinen Checkpoint, oder das Protokoll hat keinen Beweis (proof: off).")                                        \
    X(TEXT_CHECKPOINT_NOW, "Sign now", "Jetzt unterschreiben")                                                                     \
    X(TEXT_COSIGNED, "Cosigned by witnesses", "Von Zeugen bestätigt")                                                              \
    X(TEXT_COSIGNED_NONE, "No witness has cosigned a checkpoint.", "Kein Zeuge hat einen Checkpoint bestätigt.")                   \
    X(TEXT_WITNESSES, "Witnesses", "Zeugen")                                                                                       \
    X(TEXT_WITNESS, "Witness", "Zeuge")                                                                                            \
    X(TEXT_WITNESSES_NONE, "No witnesses are set up (option witnesses).", "Es sind keine Zeugen eingerichtet (Option witnesses).") \
    X(TEXT_LAG, "Seconds behind", "Sekunden zurück")                                                                               \
    X(TEXT_QUORUM, "Quorum", "Quorum")                                                                                             \
    X(TEXT_VERIFY, "Verify now", "Jetzt prüfen")                                                                                   \
    X(TEXT_VERIFY_HOW,                                                                                                             \
      "Compares every line with the tree and its signatures, with the key of this machine. Who does not trust this machine uses "  \
      "filterctl record verify, or any verifier of C2SP logs, on their own.",                                                      \
      "Vergleicht jede Zeile mit dem Baum und seinen Unterschriften, mit dem Schlüssel dieser Maschine. Wer ihr nicht traut, "     \
      "nimmt filterctl record verify oder ein anderes Prüfprogramm für C2SP-Logs auf der eigenen.")                                \
    X(TEXT_VERIFY_RUNS, "Running; open the page again for the result.", "Läuft; die Seite zeigt beim nächsten Öffnen das Ergebnis.") \
    X(TEXT_VERIFY_GOOD, "%s lines are what was signed.", "%s Zeilen sind, was unterschrieben wurde.")                              \
    X(TEXT_VERIFY_BAD, "Something is not what was signed:", "Etwas ist nicht, was unterschrieben wurde:")                          \
    X(TEXT_VERIFY_FAILED, "It could not be verified:", "Es konnte nicht geprüft werden:")                                          \
    X(TEXT_NOTICE_VERIFY, "The verification runs.", "Die Prüfung läuft.")                                                          \
    X(TEXT_NOTICE_CHECKPOINT, "What is on disk is signed.", "Was gespeichert ist, ist unterschrieben.")                            \
    X(TEXT_FAULT_RUNS, "A verification runs already.", "Eine Prüfung läuft schon.")                                                \
    X(TEXT_PROOF, "Proof", "Beweis")                                                                                               \
    X(TEXT_LOG_POLICY, "Policy file for verifiers", "Policy-Datei für Prüfende")

#endif
