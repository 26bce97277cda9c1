/* texts_review.h - texts of the screens on which people review: queue, items, records, groups, rules, exceptions, reveals, sampling. */
#ifndef FILTERD_PAGE_TEXTS_REVIEW_H
#define FILTERD_PAGE_TEXTS_REVIEW_H

#define TEXTS_REVIEW(X)                                                                                                            \
    X(TEXT_QUEUE, "Queue", "Warteschlange")                                                                                        \
    X(TEXT_ITEM, "Item", "Fall")                                                                                                   \
    X(TEXT_RECORDS, "Records", "Einträge")                                                                                         \
    X(TEXT_GROUP, "Group", "Gruppe")                                                                                               \
    X(TEXT_GROUPS, "Groups", "Gruppen")                                                                                            \
    X(TEXT_RULE, "Rule", "Regel")                                                                                                  \
    X(TEXT_RULES, "Rules", "Regeln")                                                                                               \
    X(TEXT_SAMPLING, "Sampling", "Stichproben")                                                                                    \
    X(TEXT_ALLOW, "allow", "erlaubt")                                                                                              \
    X(TEXT_REDACT, "redact", "geschwärzt")                                                                                         \
    X(TEXT_BLOCK, "block", "gesperrt")                                                                                             \
    X(TEXT_NO_VERDICT, "no verdict", "kein Urteil")                                                                                \
    X(TEXT_HIDDEN, "hidden until answered", "verdeckt bis zur Antwort")                                                            \
    X(TEXT_LOW, "low", "niedrig")                                                                                                  \
    X(TEXT_MEDIUM, "medium", "mittel")                                                                                             \
    X(TEXT_HIGH, "high", "hoch")                                                                                                   \
    X(TEXT_CRITICAL, "critical", "kritisch")                                                                                       \
    X(TEXT_TRUE_POSITIVE, "True positive", "Richtig erkannt")                                                                      \
    X(TEXT_FALSE_POSITIVE, "False positive", "Fehlalarm")                                                                          \
    X(TEXT_BENIGN, "Benign", "Hier erlaubt")                                                                                       \
    X(TEXT_POLICY_GAP, "Policy gap", "Richtlinie lückenhaft")                                                                      \
    X(TEXT_UNSURE, "Unsure", "Unsicher")                                                                                           \
    X(TEXT_UNDISPOSED, "without an answer", "ohne Antwort")                                                                        \
    X(TEXT_CLAIM, "Assign to me", "Mir zuweisen")                                                                                  \
    X(TEXT_RELEASE, "Release", "Freigeben")                                                                                        \
    X(TEXT_SNOOZE, "Snooze", "Zurückstellen")                                                                                      \
    X(TEXT_ASSIGN, "Assign", "Zuweisen")                                                                                           \
    X(TEXT_ESCALATE, "Escalate", "Eskalieren")                                                                                     \
    X(TEXT_REOPEN, "Reopen", "Wieder öffnen")                                                                                      \
    X(TEXT_UNDO, "Undo", "Rückgängig")                                                                                             \
    X(TEXT_ADD_NOTE, "Add the note only", "Nur Notiz hinzufügen")                                                                  \
    X(TEXT_PROPOSE_EXCEPTION, "Propose an exception", "Ausnahme vorschlagen")                                                      \
    X(TEXT_ASK_REVEAL, "Ask to reveal", "Einsicht beantragen")                                                                     \
    X(TEXT_SEARCH, "Search", "Suchen")                                                                                             \
    X(TEXT_PRIORITY, "Priority", "Priorität")                                                                                      \
    X(TEXT_VERDICT, "Verdict", "Urteil")                                                                                           \
    X(TEXT_FROM, "From", "Von")                                                                                                    \
    X(TEXT_CONFIDENCE, "Confidence", "Konfidenz")                                                                                  \
    X(TEXT_DUE, "Due", "Fällig")                                                                                                   \
    X(TEXT_HOLDER, "Assignee", "Bearbeitung")                                                                                      \
    X(TEXT_CHOSEN, "Selected", "Ausgewählt")                                                                                       \
    X(TEXT_CHOOSE_ALL, "Select all on this page", "Alle dieser Seite auswählen")                                                   \
    X(TEXT_CHOOSE_LINE, "Select item %s", "Fall %s auswählen")                                                                     \
    X(TEXT_DAYS, "%s d", "%s T")                                                                                                   \
    X(TEXT_HOURS, "%s h", "%s Std")                                                                                                \
    X(TEXT_MINUTES, "%s min", "%s min")                                                                                            \
    X(TEXT_OVERDUE, "overdue", "überfällig")                                                                                       \
    X(TEXT_OPEN, "Open", "Offen")                                                                                                  \
    X(TEXT_MINE, "Mine", "Meine")                                                                                                  \
    X(TEXT_OVERDUE_ITEMS, "Overdue", "Überfällig")                                                                                 \
    X(TEXT_CLOSED, "Closed", "Abgeschlossen")                                                                                      \
    X(TEXT_SNOOZED, "Snoozed", "Zurückgestellt")                                                                                   \
    X(TEXT_ALL, "All", "Alle")                                                                                                     \
    X(TEXT_WHICH_ITEMS, "Which items", "Welche Fälle")                                                                             \
    X(TEXT_WHICH_GROUPS, "Which groups", "Welche Gruppen")                                                                         \
    X(TEXT_LESS_URGENT, "Less urgent", "Weniger dringend")                                                                         \
    X(TEXT_ANSWER, "Answer", "Antwort")                                                                                            \
    X(TEXT_ANSWER_CHOSEN, "Answer for the selected items", "Antwort für die ausgewählten Fälle")                                   \
    X(TEXT_ANSWER_GROUP, "Answer for all open items of the group", "Antwort für alle offenen Fälle der Gruppe")                    \
    X(TEXT_BLIND_SAMPLE, "Blind sample", "Blinde Stichprobe")                                                                      \
    X(TEXT_NO_RULE, "no rule", "keine Regel")                                                                                      \
    X(TEXT_RECORDED, "Recorded as line %s.", "Festgehalten in Zeile %s.")                                                          \
    X(TEXT_NOTICE_UNDONE, "Undone. Both steps are on record.", "Rückgängig gemacht. Beide Schritte sind protokolliert.")           \
    X(TEXT_NOTICE_FASTER, "Nothing was changed: somebody else was faster. This is the item as it is now.",                         \
      "Nichts geändert: jemand war schneller. So ist der Stand jetzt.")                                                            \
    X(TEXT_FAULT_NONE_CHOSEN, "Select at least one item, and at most 500.",                                                        \
      "Bitte mindestens einen und höchstens 500 Fälle auswählen.")                                                                 \
    X(TEXT_EMPTY_OPEN, "The queue is empty", "Die Warteschlange ist leer")                                                         \
    X(TEXT_EMPTY_OPEN_HELP, "Every item has an answer. What becomes an item is set by review: in the policy.",                     \
      "Jeder Fall ist beantwortet. Was ein Fall wird, bestimmt review: in der Richtlinie.")                                        \
    X(TEXT_EMPTY_MINE, "No item is assigned to you", "Ihnen ist kein Fall zugewiesen")                                             \
    X(TEXT_EMPTY_MINE_HELP, "Select items in the queue and press Assign to me. An assignment lasts 15 minutes.",                   \
      "Fälle in der Warteschlange auswählen und „Mir zuweisen“ drücken. Eine Zuweisung gilt 15 Minuten.")                          \
    X(TEXT_EMPTY_OVERDUE, "Nothing is overdue", "Nichts ist überfällig")                                                           \
    X(TEXT_EMPTY_OVERDUE_HELP, "Due dates are set by review: in the policy, by severity.",                                         \
      "Fristen bestimmt review: in der Richtlinie, nach Schwere.")                                                                 \
    X(TEXT_EMPTY_CLOSED, "No item is closed yet", "Noch ist kein Fall abgeschlossen")                                              \
    X(TEXT_EMPTY_CLOSED_HELP, "An item is closed by an answer: true positive, false positive, benign, policy gap or unsure.",      \
      "Eine Antwort schließt einen Fall: richtig erkannt, Fehlalarm, hier erlaubt, Richtlinie lückenhaft oder unsicher.")          \
    X(TEXT_EMPTY_GROUPS, "No group has open items", "Keine Gruppe hat offene Fälle")                                               \
    X(TEXT_EMPTY_GROUPS_HELP, "Hits of the same value form a group; without a token of the value, those of the same rule, agent and path.", \
      "Treffer desselben Werts bilden eine Gruppe; ohne Token des Werts solche derselben Regel, desselben Agenten und Pfads.")     \
    X(TEXT_EMPTY_GROUP_HELP, "All items of this group are closed.", "Alle Fälle dieser Gruppe sind abgeschlossen.")                \
    X(TEXT_EMPTY_RECORDS, "No line matches", "Keine Zeile passt")                                                                  \
    X(TEXT_EMPTY_RECORDS_HELP, "Try fewer terms or an earlier since:. Names match as a whole; agent:support-* matches a beginning.", \
      "Weniger Bedingungen oder ein früheres since: versuchen. Namen gelten ganz; agent:support-* gilt für einen Anfang.")         \
    X(TEXT_SEARCH_GOES_ON, "Nothing found so far", "Bisher nichts gefunden")                                                       \
    X(TEXT_SEARCH_GOES_ON_HELP, "The search stopped at its limit for one page. Older goes on from there.",                         \
      "Die Suche hielt an der Grenze einer Seite an. „Ältere“ sucht weiter.")                                                      \
    X(TEXT_EMPTY_RULES, "No rule has had a hit", "Keine Regel hatte einen Treffer")                                                \
    X(TEXT_EMPTY_RULES_HELP, "Hits are counted from the record of the last 30 days.",                                              \
      "Gezählt werden Treffer im Protokoll der letzten 30 Tage.")                                                                  \
    X(TEXT_EMPTY_SAMPLES, "No sample waits", "Keine Stichprobe wartet")                                                            \
    X(TEXT_EMPTY_SAMPLES_HELP, "Samples are drawn where review: has sample: in the policy.",                                       \
      "Stichproben werden gezogen, wenn review: in der Richtlinie sample: enthält.")                                               \
    X(TEXT_QUERY_HELP_TITLE, "How to search", "So wird gesucht")                                                                   \
    X(TEXT_QUERY_HELP, "Terms with spaces between, all of which must hold: action:block,redact tenant:acme rule:aws-* -agent:test since:7d. Fields: tenant app agent rule category severity action type policy token req session since until seq.", \
      "Bedingungen mit Leerzeichen dazwischen, die alle gelten müssen: action:block,redact tenant:acme rule:aws-* -agent:test since:7d. Felder: tenant app agent rule category severity action type policy token req session since until seq.") \
    X(TEXT_HELD_BY, "assigned to %s", "zugewiesen an %s")                                                                          \
    X(TEXT_WHY_HERE, "Why it is here", "Warum dieser Fall")                                                                        \
    X(TEXT_WHY_ACTION, "The policy sends every decision with this action to review.",                                              \
      "Die Richtlinie legt jede solche Entscheidung zur Prüfung vor.")                                                             \
    X(TEXT_WHY_SEVERITY, "The policy sends findings of this severity to review.",                                                  \
      "Die Richtlinie legt Funde dieser Schwere zur Prüfung vor.")                                                                 \
    X(TEXT_WHY_BAND, "The score lies in the band that the policy sends to review.",                                                \
      "Der Wert liegt in dem Bereich, den die Richtlinie zur Prüfung vorlegt.")                                                    \
    X(TEXT_WHY_EVENT, "The policy sends this event of an agent to review.",                                                        \
      "Die Richtlinie legt dieses Ereignis eines Agenten zur Prüfung vor.")                                                        \
    X(TEXT_WHY_SAMPLE, "A random sample. The verdict is hidden until you answer.",                                                 \
      "Eine zufällige Stichprobe. Das Urteil bleibt bis zur Antwort verdeckt.")                                                    \
    X(TEXT_TERM_SEVERITY, "Severity", "Schwere")                                                                                   \
    X(TEXT_TERM_AGENT, "Violations of the agent", "Verstöße des Agenten")                                                          \
    X(TEXT_TERM_NOVELTY, "Value is new", "Wert ist neu")                                                                           \
    X(TEXT_TERM_UNCERTAINTY, "Confidence near one half", "Konfidenz nahe einhalb")                                                 \
    X(TEXT_TERM_PRECISION, "Precision of the rule in doubt", "Präzision der Regel fraglich")                                       \
    X(TEXT_STEPS, "History", "Verlauf")                                                                                            \
    X(TEXT_DECIDED, "decided by filterd", "von filterd entschieden")                                                               \
    X(TEXT_DID_CLAIM, "took the item", "hat den Fall übernommen")                                                                  \
    X(TEXT_DID_RELEASE, "released the item", "hat den Fall freigegeben")                                                           \
    X(TEXT_DID_DISPOSE, "answered:", "hat geantwortet:")                                                                           \
    X(TEXT_DID_REOPEN, "reopened the item", "hat den Fall wieder geöffnet")                                                        \
    X(TEXT_DID_UNDO, "took back a step", "hat einen Schritt zurückgenommen")                                                       \
    X(TEXT_DID_ASSIGN, "assigned the item to", "hat den Fall zugewiesen an")                                                       \
    X(TEXT_DID_ESCALATE, "escalated the item to", "hat den Fall eskaliert an")                                                     \
    X(TEXT_DID_SNOOZE, "snoozed the item", "hat den Fall zurückgestellt")                                                          \
    X(TEXT_DID_NOTE, "added a note", "hat eine Notiz hinzugefügt")                                                                 \
    X(TEXT_LINE_N, "line %s", "Zeile %s")                                                                                          \
    X(TEXT_ALSO, "Related", "Verwandtes")                                                                                          \
    X(TEXT_SAME_VALUE, "Lines with the same value", "Zeilen mit demselben Wert")                                                   \
    X(TEXT_SAME_REQUEST, "Lines of the same request", "Zeilen derselben Anfrage")                                                  \
    X(TEXT_SAME_SESSION, "Lines of the same session", "Zeilen derselben Sitzung")                                                  \
    X(TEXT_SAME_AGENT, "Lines of the same agent", "Zeilen desselben Agenten")                                                      \
    X(TEXT_LINES_OF_RULE, "Lines with this rule", "Zeilen mit dieser Regel")                                                       \
    X(TEXT_NOTE, "Note (optional)", "Notiz (freiwillig)")                                                                          \
    X(TEXT_NOTE_HELP, "filterd judges a note by its own rules before it goes on record: secrets in it are redacted or refused.",   \
      "filterd prüft eine Notiz mit den eigenen Regeln, bevor sie ins Protokoll kommt: Geheimnisse darin werden geschwärzt oder abgelehnt.") \
    X(TEXT_OTHER_STEPS, "Snooze, assign, escalate", "Zurückstellen, zuweisen, eskalieren")                                         \
    X(TEXT_MORE_HITS, "Until so many more hits", "Bis zu so vielen weiteren Treffern")                                             \
    X(TEXT_UNTIL_DATE, "Until the date", "Bis zum Datum")                                                                          \
    X(TEXT_SNOOZE_HELP, "With neither number nor date it lasts until the policy changes.",                                         \
      "Ohne Zahl und Datum gilt es, bis sich die Richtlinie ändert.")                                                              \
    X(TEXT_PERSON, "Person", "Person")                                                                                             \
    X(TEXT_FOUND, "What was found", "Was gefunden wurde")                                                                          \
    X(TEXT_FINDING, "Finding", "Fund")                                                                                             \
    X(TEXT_BYTES_AT, "Bytes", "Bytes")                                                                                             \
    X(TEXT_EXCEPTED, "excepted", "ausgenommen")                                                                                    \
    X(TEXT_SHAPE, "The shape of the text, with %s findings", "Die Form des Textes, mit %s Funden")                                 \
    X(TEXT_SHAPE_ONLY, "The shape only: the text itself is not on this server.",                                                   \
      "Nur die Form: der Text selbst ist nicht auf diesem Server.")                                                                \
    X(TEXT_NOTHING_FOUND, "No finding lies in a channel that is listed.", "In keinem aufgeführten Kanal liegt ein Fund.")          \
    X(TEXT_PLAIN_TEXT, "plain text", "reiner Text")                                                                                \
    X(TEXT_BYTES, "%s bytes, not all judged", "%s Bytes, nicht alle beurteilt")                                                    \
    X(TEXT_BYTES_JUDGED, "%s bytes, all judged", "%s Bytes, alle beurteilt")                                                       \
    X(TEXT_MORE_FINDINGS, "%s further findings are not shown here.", "%s weitere Funde sind hier nicht gezeigt.")                  \
    X(TEXT_FACTS, "Facts", "Angaben")                                                                                              \
    X(TEXT_APP, "App", "Anwendung")                                                                                                \
    X(TEXT_SESSION, "Session", "Sitzung")                                                                                          \
    X(TEXT_REQUEST, "Request", "Anfrage")                                                                                          \
    X(TEXT_UPSTREAM, "Upstream", "Upstream")                                                                                       \
    X(TEXT_PHASE, "Phase", "Phase")                                                                                                \
    X(TEXT_END, "End", "Ende")                                                                                                     \
    X(TEXT_EVENT, "Event", "Ereignis")                                                                                             \
    X(TEXT_IN_BYTES, "Bytes received", "Bytes empfangen")                                                                          \
    X(TEXT_JUDGED_BYTES, "Bytes judged", "Bytes beurteilt")                                                                        \
    X(TEXT_OUT_BYTES, "Bytes delivered", "Bytes ausgeliefert")                                                                     \
    X(TEXT_MICROSECONDS, "Microseconds to the verdict", "Mikrosekunden bis zum Urteil")                                            \
    X(TEXT_ORIGINAL, "Original", "Original")                                                                                       \
    X(TEXT_NO_ORIGINAL, "not kept", "nicht aufbewahrt")                                                                            \
    X(TEXT_NOT_SEALED, "could not be sealed", "konnte nicht versiegelt werden")                                                    \
    X(TEXT_SEALED, "sealed, %s bytes", "versiegelt, %s Bytes")                                                                     \
    X(TEXT_UNTIL, "until", "bis")                                                                                                  \
    X(TEXT_AS_WRITTEN, "The line as written", "Die Zeile, wie sie geschrieben ist")                                                \
    X(TEXT_CUT, "Cut here; the line has %s bytes. filterctl log shows all of it.",                                                 \
      "Hier gekürzt; die Zeile hat %s Bytes. filterctl log zeigt sie ganz.")                                                       \
    X(TEXT_PROVE, "Prove that it is unaltered", "Unverändertheit beweisen")                                                        \
    X(TEXT_TO_ITEM, "Open the item", "Fall öffnen")                                                                                \
    X(TEXT_HELD_BACK, "Held back per hour, last 48 hours", "Pro Stunde zurückgehalten, letzte 48 Stunden")                         \
    X(TEXT_CHART_HOURS, "Decisions that held something back, by hour; at most %s in one hour",                                     \
      "Entscheidungen, die etwas zurückhielten, nach Stunden; höchstens %s in einer Stunde")                                       \
    X(TEXT_CHART_TREND, "Hits per day over 30 days; %s today", "Treffer pro Tag über 30 Tage; heute %s")                           \
    X(TEXT_NOW, "now", "jetzt")                                                                                                    \
    X(TEXT_AS_TABLE, "As a table", "Als Tabelle")                                                                                  \
    X(TEXT_HOUR, "Hour", "Stunde")                                                                                                 \
    X(TEXT_HITS, "Hits", "Treffer")                                                                                                \
    X(TEXT_OPEN_ITEMS, "Open items", "Offene Fälle")                                                                               \
    X(TEXT_TREND, "30 days", "30 Tage")                                                                                            \
    X(TEXT_RULES_HELP, "Decisions of the last 30 days, by the rule that decided.",                                                 \
      "Entscheidungen der letzten 30 Tage, nach der Regel, die entschied.")                                                        \
    X(TEXT_RULES_CUT, "The list shows %s rules; there are more.", "Die Liste zeigt %s Regeln; es gibt mehr.")                      \
    X(TEXT_HITS_30, "decisions in 30 days", "Entscheidungen in 30 Tagen")                                                          \
    X(TEXT_REVIEWED, "reviewed", "geprüft")                                                                                        \
    X(TEXT_PRECISION, "precision, with its 95 % interval", "Präzision mit 95-%-Intervall")                                         \
    X(TEXT_MISSES, "missed a week (estimate from blind samples of all allowed texts)",                                             \
      "verfehlt pro Woche (Schätzung aus blinden Stichproben aller erlaubten Texte)")                                              \
    X(TEXT_POINT, ".", ",")                                                                                                        \
    X(TEXT_SHADOW_TITLE, "Move this rule to shadow?", "Diese Regel nur noch beobachten?")                                          \
    X(TEXT_SHADOW_HELP, "Reviewers found it wrong more often than right. This line under actions: of the policy records its hits and acts on none:", \
      "Sie lag öfter falsch als richtig. Diese Zeile unter actions: der Richtlinie hält Treffer nur fest:")                        \
    X(TEXT_BY_DIGEST, "Answers by policy", "Antworten nach Richtlinie")                                                            \
    X(TEXT_NOT_REVIEWED, "Not reviewed in 30 days", "In 30 Tagen nicht geprüft")                                                   \
    X(TEXT_NOT_REVIEWED_HELP, "Precision is known once items of this rule have answers.",                                          \
      "Die Präzision ist bekannt, sobald Fälle dieser Regel beantwortet sind.")                                                    \
    X(TEXT_SAMPLING_HELP, "Random texts that were allowed. Say what you find before you see the verdict: misses are estimated from your answers.", \
      "Zufällige Texte, die erlaubt wurden. Antworten Sie, bevor Sie das Urteil sehen: daraus wird geschätzt, was verfehlt wird.") \
    X(TEXT_SAMPLES_REVIEWED, "samples reviewed", "Stichproben geprüft")                                                            \
    X(TEXT_SAMPLES_MISSED, "misses among them", "davon verfehlt")                                                                  \
    X(TEXT_AGREEMENT, "Agreement of reviewers", "Übereinstimmung der Prüfenden")                                                   \
    X(TEXT_PAIR, "Pair", "Paar")                                                                                                   \
    X(TEXT_BOTH_REVIEWED, "Both reviewed", "Beide geprüft")                                                                        \
    X(TEXT_AGREED, "Same answer", "Gleiche Antwort")                                                                               \
    X(TEXT_KAPPA, "Cohen's kappa", "Cohens Kappa")                                                                                 \
    X(TEXT_KEYS, "Keys", "Tasten")                                                                                                 \
    X(TEXT_KEYS_ON, "Keys on or off", "Tasten ein oder aus")                                                                       \
    X(TEXT_KEY_MOVE, "next, previous row", "nächste, vorige Zeile")                                                                \
    X(TEXT_KEY_OPEN, "open", "öffnen")                                                                                             \
    X(TEXT_KEY_BACK, "back to the list", "zurück zur Liste")                                                                       \
    X(TEXT_KEY_CHOOSE, "select the row", "Zeile auswählen")                                                                        \
    X(TEXT_KEY_EXTEND, "extend the selection", "Auswahl erweitern")                                                                \
    X(TEXT_KEY_ANSWER, "true, false, benign, policy gap, unsure", "richtig, Fehlalarm, erlaubt, Lücke, unsicher")                  \
    X(TEXT_KEY_EXCEPTION, "propose an exception", "Ausnahme vorschlagen")                                                          \
    X(TEXT_KEY_REVEAL, "ask to reveal the original", "Einsicht beantragen")                                                        \
    X(TEXT_KEY_NEIGHBOURS, "lines with the same value", "Zeilen mit demselben Wert")                                               \
    X(TEXT_KEY_GO, "go to queue, records, agents", "zu Warteschlange, Einträgen, Agenten")                                         \
    X(TEXT_DECISIONS, "Decisions", "Entscheidungen")                                                                               \
    X(TEXT_HELD, "Held back", "Zurückgehalten")                                                                                    \
    X(TEXT_EVENTS, "Events of agents", "Ereignisse von Agenten")                                                                   \
    X(TEXT_WHICH_LINES, "Which lines", "Welche Zeilen")                                                                            \
    X(TEXT_EXCEPTIONS, "Exceptions", "Ausnahmen")                                                                                  \
    X(TEXT_EXCEPTION, "Rule", "Regel")                                                                                             \
    X(TEXT_REVEALS, "Reveals", "Einsichten")                                                                                       \
    X(TEXT_REVEAL, "Original", "Original")                                                                                         \
    X(TEXT_SCOPE, "Scope", "Umfang")                                                                                               \
    X(TEXT_PREVIEW, "Preview", "Vorschau")                                                                                         \
    X(TEXT_PREVIEW_30, "What it would have let through in 30 days", "Was sie in 30 Tagen durchgelassen hätte")                     \
    X(TEXT_WOULD_PASS, "Findings let through: %s", "Durchgelassene Funde: %s")                                                     \
    X(TEXT_CONFIRMED, "Confirmed true: %s", "Als richtig bestätigt: %s")                                                           \
    X(TEXT_OR_MORE, "(or more: the count was cut)", "(oder mehr: die Zählung wurde begrenzt)")                                     \
    X(TEXT_WIDTH_VALUE, "This value", "Dieser Wert")                                                                               \
    X(TEXT_WIDTH_APP, "The rule in this app", "Die Regel in dieser Anwendung")                                                     \
    X(TEXT_WIDTH_PATTERN, "Values that match the pattern", "Werte, auf die das Muster passt")                                      \
    X(TEXT_PATTERN, "Pattern (for the third scope)", "Muster (für den dritten Umfang)")                                            \
    X(TEXT_UNTIL_90, "Until (at most 90 days)", "Bis (höchstens 90 Tage)")                                                         \
    X(TEXT_UNTIL_TIME, "Until", "Bis")                                                                                             \
    X(TEXT_PROPOSE_FROM, "Propose an exception from line %s", "Ausnahme aus Zeile %s vorschlagen")                                 \
    X(TEXT_NEEDS_ADMIN, "This is wide and reviewers confirmed findings in it, or nobody knows: an admin has to approve it.",       \
      "Sie ist weit, und Prüfende haben Funde darin bestätigt, oder niemand weiß es: ein Admin muss zustimmen.")                   \
    X(TEXT_APPROVE, "Approve", "Zustimmen")                                                                                        \
    X(TEXT_REFUSE, "Refuse", "Ablehnen")                                                                                           \
    X(TEXT_WITHDRAW, "Withdraw", "Zurückziehen")                                                                                   \
    X(TEXT_CLOSE, "Close", "Schließen")                                                                                            \
    X(TEXT_SECOND_PERSON, "A second person decides.", "Eine zweite Person entscheidet.")                                           \
    X(TEXT_PROPOSED, "proposed", "vorgeschlagen")                                                                                  \
    X(TEXT_ACTIVE, "active", "aktiv")                                                                                              \
    X(TEXT_REFUSED, "refused", "abgelehnt")                                                                                        \
    X(TEXT_WITHDRAWN, "withdrawn", "zurückgezogen")                                                                                \
    X(TEXT_EXPIRED, "expired", "abgelaufen")                                                                                       \
    X(TEXT_ASKED, "asked", "beantragt")                                                                                            \
    X(TEXT_GRANTED, "granted", "gewährt")                                                                                          \
    X(TEXT_OPENED, "opened", "geöffnet")                                                                                           \
    X(TEXT_REVEAL_CLOSED, "closed", "geschlossen")                                                                                 \
    X(TEXT_POLICY_ENTRY, "Entry for the policy", "Eintrag für die Richtlinie")                                                     \
    X(TEXT_PURPOSE_INCIDENT, "Incident", "Vorfall")                                                                                \
    X(TEXT_PURPOSE_SUBJECT, "Request of a data subject", "Anfrage einer betroffenen Person")                                       \
    X(TEXT_PURPOSE_QUALITY, "Quality of rules", "Güte von Regeln")                                                                 \
    X(TEXT_PURPOSE_LEGAL, "Legal", "Recht")                                                                                        \
    X(TEXT_CASE, "Case", "Vorgang")                                                                                                \
    X(TEXT_ASK_FOR, "Ask to reveal the original of line %s", "Einsicht in das Original von Zeile %s beantragen")                   \
    X(TEXT_ASK_HELP, "An approver other than you sees your name, the purpose and the case. A grant lasts 60 minutes and is for this line alone. Every step is on record.", \
      "Eine andere Person mit der Rolle approver sieht Ihren Namen, Zweck und Vorgang. Eine Gewährung gilt 60 Minuten und nur für diese Zeile. Jeder Schritt wird protokolliert.") \
    X(TEXT_WHY_AGAIN, "Why again", "Warum noch einmal")                                                                            \
    X(TEXT_DOWNLOAD, "Download the sealed file", "Versiegelte Datei laden")                                                        \
    X(TEXT_HOW_TO_OPEN, "How to open the file", "So wird die Datei geöffnet")                                                      \
    X(TEXT_HOW_TO_OPEN_HELP, "The file is encrypted to the keys of the recipients; this server cannot read it. On the machine that has your key:", \
      "Die Datei ist für die Schlüssel der Empfänger verschlüsselt; dieser Server kann sie nicht lesen. Auf dem Rechner mit Ihrem Schlüssel:") \
    X(TEXT_IDENTITY_FILE, "Identity file of age", "Identitätsdatei von age")                                                       \
    X(TEXT_OPEN_HERE, "Open in this browser", "In diesem Browser öffnen")                                                          \
    X(TEXT_ORIGINAL_HELP, "Decrypted by this browser; your identity file was not sent. It is cleared when the grant ends. Copying is not prevented: anyone who can read it can keep a copy.",\
      "In diesem Browser entschlüsselt; Ihre Identitätsdatei wurde nicht gesendet. Der Text wird gelöscht, wenn die Gewährung endet. Kopieren wird nicht verhindert: Wer ihn lesen kann, kann ihn behalten.")\
    X(TEXT_CLEAR_ORIGINAL, "Clear", "Löschen")                                                                                     \
    X(TEXT_SAY_IDENTITY, "That file has no identity of age: a line AGE-SECRET-KEY-1… expected.",                                   \
      "Diese Datei enthält keine Identität von age: Eine Zeile AGE-SECRET-KEY-1… wird erwartet.")                                  \
    X(TEXT_SAY_WRONG, "This identity does not open the original: that of one of its recipients expected.",                         \
      "Diese Identität öffnet das Original nicht: Die eines Empfängers wird erwartet.")                                            \
    X(TEXT_SAY_SECOND, "A second group has to open this original, too: an identity of each group expected, in one file.",          \
      "Dieses Original muss auch eine zweite Gruppe öffnen: Je eine Identität beider Gruppen wird in einer Datei erwartet.")       \
    X(TEXT_SAY_FORMAT, "What was decrypted is not a sealed original of this line.",                                                \
      "Was entschlüsselt wurde, ist kein versiegeltes Original dieser Zeile.")                                                     \
    X(TEXT_SAY_GRANT, "There is no grant for you, or it has ended. Load the page again.",                                          \
      "Es gibt keine Gewährung für Sie, oder sie ist abgelaufen. Bitte die Seite neu laden.")                                      \
    X(TEXT_SAY_GONE, "The original is not there any more, or its key was erased.",                                                 \
      "Das Original ist nicht mehr da, oder sein Schlüssel wurde gelöscht.")                                                       \
    X(TEXT_SAY_WHY, "It was opened before: load the page again, and say why it is opened again.",                                  \
      "Es wurde schon geöffnet: Bitte die Seite neu laden und angeben, warum noch einmal.")                                        \
    X(TEXT_SAY_SERVER, "The server has not answered. Sign in again, or try it later.",                                             \
      "Der Server hat nicht geantwortet. Bitte neu anmelden oder später versuchen.")                                               \
    X(TEXT_EMPTY_EXCEPTIONS, "No exception was proposed", "Keine Ausnahme wurde vorgeschlagen")                                    \
    X(TEXT_EMPTY_EXCEPTIONS_HELP, "Open an item and press Propose an exception: you see what it would have let through before a second person decides.", \
      "Einen Fall öffnen und „Ausnahme vorschlagen“ drücken: Sie sehen, was sie durchgelassen hätte, bevor eine zweite Person entscheidet.") \
    X(TEXT_EMPTY_REVEALS, "Nobody has asked to see an original", "Niemand hat Einsicht beantragt")                                 \
    X(TEXT_EMPTY_REVEALS_HELP, "Originals are kept where the policy has seal:. Open an item and press Ask to reveal.",             \
      "Originale werden aufbewahrt, wenn die Richtlinie seal: enthält. Einen Fall öffnen und „Einsicht beantragen“ drücken.")      \
    X(TEXT_NOTICE_PROPOSED, "Proposed. A second person decides.", "Vorgeschlagen. Eine zweite Person entscheidet.")                \
    X(TEXT_NOTICE_ASKED, "Asked. A second person decides.", "Beantragt. Eine zweite Person entscheidet.")                          \
    X(TEXT_NOTICE_DECIDED, "The step is on record.", "Der Schritt ist protokolliert.")                                             \
    X(TEXT_FAULT_EYES, "Another person has to decide, or a role that you do not have.",                                            \
      "Das muss eine andere Person entscheiden, oder eine Rolle, die Sie nicht haben.")                                            \
    X(TEXT_FAULT_EXCEPTION, "An item, a scope, a date within 90 days and a reason expected; a pattern for the third scope.",       \
      "Ein Fall, ein Umfang, ein Datum innerhalb von 90 Tagen und ein Grund werden erwartet; ein Muster für den dritten Umfang.")  \
    X(TEXT_FAULT_REVEAL, "A line with a sealed original, a purpose and a case expected.",                                          \
      "Eine Zeile mit versiegeltem Original, ein Zweck und ein Vorgang werden erwartet.")

#endif
