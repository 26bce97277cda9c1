/* texts_service.h - texts of the screens of the service: agents, policies, exports, access, record. */
#ifndef FILTERD_PAGE_TEXTS_SERVICE_H
#define FILTERD_PAGE_TEXTS_SERVICE_H

#define TEXTS_SERVICE(X)                                                                                                           \
    X(TEXT_AGENTS, "Agents", "Agenten")                                                                                            \
    X(TEXT_AGENT, "Agent", "Agent")                                                                                                \
    X(TEXT_TENANT, "Tenant", "Mandant")                                                                                            \
    X(TEXT_STATE, "State", "Zustand")                                                                                              \
    X(TEXT_SCORE, "Violations", "Verstöße")                                                                                        \
    X(TEXT_JAILS, "Jails", "Jails")                                                                                                \
    X(TEXT_FIRST, "First seen", "Zuerst gesehen")                                                                                  \
    X(TEXT_LAST, "Last seen", "Zuletzt gesehen")                                                                                   \
    X(TEXT_CHANGE, "Change", "Ändern")                                                                                             \
    X(TEXT_REASON, "Reason", "Grund")                                                                                              \
    X(TEXT_KILL, "Kill", "Beenden")                                                                                                \
    X(TEXT_REVIVE, "Revive", "Reaktivieren")                                                                                       \
    X(TEXT_AGENTS_NONE, "No agents have an account or run in a jail.", "Kein Agent hat ein Konto oder läuft in einem Jail.")       \
    X(TEXT_AGENTS_MORE, "Not all agents are shown: filterctl agents list prints all.",                                             \
      "Es werden nicht alle Agenten angezeigt: filterctl agents list gibt alle aus.")                                              \
    X(TEXT_KILL_OTHER, "Kill an agent by name", "Agenten nach Namen beenden")                                                      \
    X(TEXT_NOTICE_KILLED, "Kill ordered and recorded.", "Beenden angeordnet und protokolliert.")                                   \
    X(TEXT_NOTICE_REVIVED, "The agent is active again.", "Der Agent ist wieder aktiv.")                                            \
    X(TEXT_FAULT_REASON, "Enter a reason of 1 to 100 bytes and the name of an agent.",                                             \
      "Bitte einen Grund von 1 bis 100 Byte und den Namen eines Agenten angeben.")                                                 \
    X(TEXT_FAULT_LEDGER, "The ledger is full: processes in jails were killed, but the agent could not be blocked.",                \
      "Die Kontentabelle ist voll: Prozesse in Jails wurden beendet, aber der Agent ließ sich nicht sperren.")                     \
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
    X(TEXT_HISTORY_NONE, "No changes in the index.", "Keine Änderungen im Index.")                                                 \
    X(TEXT_DIFFERENCE, "Changes", "Änderungen")                                                                                    \
    X(TEXT_REPLAY, "Replay of a candidate policy", "Erprobung einer Richtlinie")                                                   \
    X(TEXT_REPLAY_JUDGED, "%s sealed exchanges judged again", "%s versiegelte Vorgänge neu beurteilt")                             \
    X(TEXT_REPLAY_CHANGED, "%s verdicts would change", "%s Urteile würden sich ändern")                                            \
    X(TEXT_REPLAY_FAILED, "%s could not be opened or judged", "%s ließen sich nicht öffnen oder beurteilen")                       \
    X(TEXT_REPLAY_N, "Verdicts", "Urteile")                                                                                        \
    X(TEXT_REPLAY_LINE, "Line", "Zeile")                                                                                           \
    X(TEXT_REPLAY_LINES, "First changes", "Erste Änderungen")                                                                      \
    X(TEXT_POLICY_LOST, "The text of this policy was not kept: that requires this version of filterd and a state directory.",      \
      "Der Text dieser Richtlinie wurde nicht aufbewahrt: Dafür sind diese Version von filterd und ein Zustandsverzeichnis nötig.")\
    X(TEXT_POLICY_SAME, "The file is unchanged: rules, recipients or filterd itself changed.",                                     \
      "Die Datei ist unverändert: Regeln, Empfänger oder filterd selbst haben sich geändert.")                                     \
    X(TEXT_POLICY_WHOLE, "Text", "Text")                                                                                           \
    X(TEXT_POLICY_LONG, "The text is too long for a page; see the folder policies of the state directory.",                        \
      "Der Text ist zu lang für eine Seite; er liegt im Ordner policies des Zustandsverzeichnisses.")                              \
    X(TEXT_EXPORTS, "Exports", "Exporte")                                                                                          \
    X(TEXT_EXPORT_HOW, "A bundle has the lines, their proofs, the checkpoint, the rules and policies in force, and a verifier. It is kept for one hour, for you only.", \
      "Ein Bündel enthält die Zeilen, ihre Beweise, den Checkpoint, die geltenden Regeln und Richtlinien und ein Prüfprogramm. Es wird eine Stunde aufbewahrt, nur für Sie.") \
    X(TEXT_EXPORT, "Export", "Export")                                                                                             \
    X(TEXT_EXPORT_MAKE, "Create bundle", "Bündel erstellen")                                                                       \
    X(TEXT_EXPORT_RUNNING, "Creating the bundle: %s lines so far.", "Das Bündel wird erstellt: bisher %s Zeilen.")                 \
    X(TEXT_EXPORT_LOOK, "Refresh", "Aktualisieren")                                                                                \
    X(TEXT_EXPORT_DONE, "The bundle is ready: %s lines. Available until", "Das Bündel ist fertig: %s Zeilen. Verfügbar bis")       \
    X(TEXT_EXPORT_FAILED, "The bundle could not be created:", "Das Bündel konnte nicht erstellt werden:")                          \
    X(TEXT_EXPORT_BY_COMMAND, "On the command line", "Auf der Befehlszeile")                                                       \
    X(TEXT_EXPORT_COMMAND_HOW, "The command creates the same bundle on the machine of the record, with no size limit.",            \
      "Der Befehl erstellt dasselbe Bündel auf der Maschine des Protokolls, ohne Größenlimit.")                                    \
    X(TEXT_NOTICE_EXPORT, "Export recorded.", "Export protokolliert.")                                                             \
    X(TEXT_FAULT_EXPORT, "Enter a valid query and a purpose, without secrets.",                                                    \
      "Bitte eine gültige Abfrage und einen Zweck angeben, ohne Geheimnisse.")                                                     \
    X(TEXT_FAULT_EXPORT_RUNS, "You already have a running export.", "Ein Export von Ihnen läuft bereits.")                         \
    X(TEXT_FAULT_EXPORT_FULL, "Other exports are running, or the disk is too full. Try again later.",                              \
      "Andere Exporte laufen, oder es ist zu wenig Speicherplatz frei. Bitte später wieder versuchen.")                            \
    X(TEXT_QUERY, "Query", "Abfrage")                                                                                              \
    X(TEXT_PURPOSE, "Purpose", "Zweck")                                                                                            \
    X(TEXT_SHOW_COMMAND, "Show command", "Befehl anzeigen")                                                                        \
    X(TEXT_COMMAND, "Command", "Befehl")                                                                                           \
    X(TEXT_EXPORTS_DONE, "Recorded exports", "Protokollierte Exporte")                                                             \
    X(TEXT_EXPORTS_NONE, "No exports in the index.", "Keine Exporte im Index.")                                                    \
    X(TEXT_FAULT_QUERY, "Invalid query. Example: action:block agent:a* since:7d. filterctl(1), log, lists the fields.",            \
      "Ungültige Abfrage. Beispiel: action:block agent:a* since:7d. Die Felder stehen in filterctl(1), log.")                      \
    X(TEXT_ACCESS, "Access", "Zugriffe")                                                                                           \
    X(TEXT_ACCESS_HOW, "Who accessed which lines of the record. Each access is on disk before anything is shown.",                 \
      "Wer auf welche Zeilen des Protokolls zugegriffen hat. Jeder Zugriff ist gespeichert, bevor etwas angezeigt wird.")          \
    X(TEXT_ACCESS_NONE, "No accesses in the index.", "Keine Zugriffe im Index.")                                                   \
    X(TEXT_LINE, "Line", "Zeile")                                                                                                  \
    X(TEXT_RECORD, "Record", "Protokoll")                                                                                          \
    X(TEXT_CHECKPOINT, "Latest checkpoint", "Neuester Checkpoint")                                                                 \
    X(TEXT_CHECKPOINT_SIZE, "signs lines 1 to %s", "signiert die Zeilen 1 bis %s")                                                 \
    X(TEXT_CHECKPOINT_NONE, "No checkpoint yet, or the record has no proof (proof: off).",                                         \
      "Noch kein Checkpoint, oder das Protokoll hat keinen Beweis (proof: off).")                                                  \
    X(TEXT_CHECKPOINT_NOW, "Sign now", "Jetzt signieren")                                                                          \
    X(TEXT_COSIGNED, "Cosigned by witnesses", "Von Zeugen mitsigniert")                                                            \
    X(TEXT_COSIGNED_NONE, "No witness has cosigned a checkpoint.", "Kein Zeuge hat einen Checkpoint mitsigniert.")                 \
    X(TEXT_WITNESSES, "Witnesses", "Zeugen")                                                                                       \
    X(TEXT_WITNESS, "Witness", "Zeuge")                                                                                            \
    X(TEXT_WITNESSES_NONE, "No witnesses configured (option witnesses).", "Keine Zeugen eingerichtet (Option witnesses).")         \
    X(TEXT_LAG, "Lag (s)", "Rückstand (s)")                                                                                        \
    X(TEXT_QUORUM, "Quorum", "Quorum")                                                                                             \
    X(TEXT_VERIFY, "Verify now", "Jetzt prüfen")                                                                                   \
    X(TEXT_VERIFY_HOW,                                                                                                             \
      "Compares every line with the tree and its signatures, using this machine's key. To verify without trusting this machine, run filterctl record verify, or any verifier of C2SP logs, on another one.",\
      "Vergleicht jede Zeile mit dem Baum und seinen Signaturen, mit dem Schlüssel dieser Maschine. Wer dieser Maschine nicht vertraut, prüft auf einer anderen: mit filterctl record verify oder einem anderen Prüfprogramm für C2SP-Logs.")\
    X(TEXT_VERIFY_RUNS, "Verification is running. Reload the page for the result.",                                                \
      "Die Prüfung läuft. Bitte die Seite neu laden, um das Ergebnis zu sehen.")                                                   \
    X(TEXT_VERIFY_GOOD, "%s lines match their signatures.", "%s Zeilen stimmen mit den Signaturen überein.")                       \
    X(TEXT_VERIFY_BAD, "The record does not match its signatures:", "Das Protokoll stimmt nicht mit den Signaturen überein:")      \
    X(TEXT_VERIFY_FAILED, "Verification failed to run:", "Die Prüfung konnte nicht ausgeführt werden:")                            \
    X(TEXT_NOTICE_VERIFY, "Verification started.", "Prüfung gestartet.")                                                           \
    X(TEXT_NOTICE_CHECKPOINT, "All lines on disk are signed.", "Alle gespeicherten Zeilen sind signiert.")                         \
    X(TEXT_FAULT_RUNS, "A verification is already running.", "Eine Prüfung läuft bereits.")                                        \
    X(TEXT_PROOF, "Proof", "Beweis")                                                                                               \
    X(TEXT_LOG_POLICY, "Log policy for verifiers", "Log-Policy für Prüfprogramme")

#endif
