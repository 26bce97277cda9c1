/* texts_review.h - texts of the review screens: queue, items, records, groups, rules, exceptions, reveals, sampling. */
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
    X(TEXT_HIDDEN, "hidden until closed", "verdeckt bis zum Abschluss")                                                            \
    X(TEXT_LOW, "low", "niedrig")                                                                                                  \
    X(TEXT_MEDIUM, "medium", "mittel")                                                                                             \
    X(TEXT_HIGH, "high", "hoch")                                                                                                   \
    X(TEXT_CRITICAL, "critical", "kritisch")                                                                                       \
    X(TEXT_TRUE_POSITIVE, "True positive", "Richtig erkannt")                                                                      \
    X(TEXT_FALSE_POSITIVE, "False positive", "Fehlalarm")                                                                          \
    X(TEXT_BENIGN, "Benign", "Unbedenklich")                                                                                       \
    X(TEXT_POLICY_GAP, "Policy gap", "Lücke in der Richtlinie")                                                                    \
    X(TEXT_UNSURE, "Unsure", "Unsicher")                                                                                           \
    X(TEXT_UNDISPOSED, "no disposition", "ohne Bewertung")                                                                         \
    X(TEXT_CLAIM, "Assign to me", "Mir zuweisen")                                                                                  \
    X(TEXT_RELEASE, "Unassign", "Zuweisung aufheben")                                                                              \
    X(TEXT_SNOOZE, "Snooze", "Zurückstellen")                                                                                      \
    X(TEXT_ASSIGN, "Assign", "Zuweisen")                                                                                           \
    X(TEXT_ESCALATE, "Escalate", "Eskalieren")                                                                                     \
    X(TEXT_REOPEN, "Reopen", "Wieder öffnen")                                                                                      \
    X(TEXT_UNDO, "Undo", "Rückgängig")                                                                                             \
    X(TEXT_ADD_NOTE, "Add note only", "Nur Notiz hinzufügen")                                                                      \
    X(TEXT_PROPOSE_EXCEPTION, "Propose exception", "Ausnahme vorschlagen")                                                         \
    X(TEXT_ASK_REVEAL, "Request reveal", "Einsicht beantragen")                                                                    \
    X(TEXT_SEARCH, "Search", "Suchen")                                                                                             \
    X(TEXT_PRIORITY, "Priority", "Priorität")                                                                                      \
    X(TEXT_VERDICT, "Verdict", "Urteil")                                                                                           \
    X(TEXT_FROM, "Source", "Quelle")                                                                                               \
    X(TEXT_CONFIDENCE, "Confidence", "Konfidenz")                                                                                  \
    X(TEXT_DUE, "Due", "Fällig")                                                                                                   \
    X(TEXT_HOLDER, "Assignee", "Zugewiesen an")                                                                                    \
    X(TEXT_CHOSEN, "Selected", "Ausgewählt")                                                                                       \
    X(TEXT_CHOOSE_ALL, "Select all on this page", "Alle auf dieser Seite auswählen")                                               \
    X(TEXT_CHOOSE_LINE, "Select item %s", "Fall %s auswählen")                                                                     \
    X(TEXT_DAYS, "%s d", "%s T.")                                                                                                  \
    X(TEXT_HOURS, "%s h", "%s Std.")                                                                                               \
    X(TEXT_MINUTES, "%s min", "%s Min.")                                                                                           \
    X(TEXT_OVERDUE, "overdue", "überfällig")                                                                                       \
    X(TEXT_OPEN, "Open", "Offen")                                                                                                  \
    X(TEXT_MINE, "Mine", "Meine")                                                                                                  \
    X(TEXT_OVERDUE_ITEMS, "Overdue", "Überfällig")                                                                                 \
    X(TEXT_CLOSED, "Closed", "Abgeschlossen")                                                                                      \
    X(TEXT_SNOOZED, "Snoozed", "Zurückgestellt")                                                                                   \
    X(TEXT_ALL, "All", "Alle")                                                                                                     \
    X(TEXT_WHICH_ITEMS, "Filter items", "Fälle filtern")                                                                           \
    X(TEXT_WHICH_GROUPS, "Filter groups", "Gruppen filtern")                                                                       \
    X(TEXT_LESS_URGENT, "Less urgent", "Weniger dringend")                                                                         \
    X(TEXT_ANSWER, "Disposition", "Bewertung")                                                                                     \
    X(TEXT_ANSWER_CHOSEN, "Disposition of the selected items", "Bewertung der ausgewählten Fälle")                                 \
    X(TEXT_ANSWER_GROUP, "Disposition of all open items in the group", "Bewertung aller offenen Fälle der Gruppe")                 \
    X(TEXT_BLIND_SAMPLE, "Blind sample", "Blinde Stichprobe")                                                                      \
    X(TEXT_NO_RULE, "no rule", "keine Regel")                                                                                      \
    X(TEXT_RECORDED, "Recorded as line %s.", "Als Zeile %s protokolliert.")                                                        \
    X(TEXT_NOTICE_UNDONE, "Undone. Both steps are on record.", "Rückgängig gemacht. Beide Schritte sind protokolliert.")           \
    X(TEXT_NOTICE_FASTER, "Nothing was changed: someone else changed this item first. This is its current state.",                 \
      "Nichts geändert: Jemand anders hat den Fall zuerst geändert. So ist der Stand jetzt.")                                      \
    X(TEXT_FAULT_NONE_CHOSEN, "Select between 1 and 500 items.", "Bitte 1 bis 500 Fälle auswählen.")                               \
    X(TEXT_EMPTY_OPEN, "The queue is empty", "Die Warteschlange ist leer")                                                         \
    X(TEXT_EMPTY_OPEN_HELP, "All items are closed. The key review of the policy selects what becomes an item.",                    \
      "Alle Fälle sind abgeschlossen. Der Schlüssel review der Richtlinie legt fest, was ein Fall wird.")                          \
    X(TEXT_EMPTY_MINE, "No items are assigned to you", "Ihnen sind keine Fälle zugewiesen")                                        \
    X(TEXT_EMPTY_MINE_HELP, "Select items in the queue and choose Assign to me. An assignment lasts 15 minutes.",                  \
      "Wählen Sie Fälle in der Warteschlange aus und dann „Mir zuweisen“. Eine Zuweisung gilt 15 Minuten.")                        \
    X(TEXT_EMPTY_OVERDUE, "Nothing is overdue", "Nichts ist überfällig")                                                           \
    X(TEXT_EMPTY_OVERDUE_HELP, "The key review of the policy sets due times by severity.",                                         \
      "Der Schlüssel review der Richtlinie setzt Fristen nach Schweregrad.")                                                       \
    X(TEXT_EMPTY_CLOSED, "No closed items yet", "Noch keine abgeschlossenen Fälle")                                                \
    X(TEXT_EMPTY_CLOSED_HELP,                                                                                                      \
      "An item is closed by its disposition: true positive, false positive, benign, policy gap or unsure.",                        \
      "Eine Bewertung schließt einen Fall ab: richtig erkannt, Fehlalarm, unbedenklich, Lücke in der Richtlinie oder unsicher.")   \
    X(TEXT_EMPTY_GROUPS, "No groups with open items", "Keine Gruppen mit offenen Fällen")                                          \
    X(TEXT_EMPTY_GROUPS_HELP,                                                                                                      \
      "Hits with the same value form a group; without a value, hits with the same rule, agent and path.",                          \
      "Treffer mit demselben Wert bilden eine Gruppe; ohne Wert solche mit derselben Regel, demselben Agenten und demselben Pfad.")\
    X(TEXT_EMPTY_GROUP_HELP, "All items of this group are closed.", "Alle Fälle dieser Gruppe sind abgeschlossen.")                \
    X(TEXT_EMPTY_RECORDS, "No lines match", "Keine passenden Zeilen")                                                              \
    X(TEXT_EMPTY_RECORDS_HELP, "Use fewer terms or an earlier since:. Names match exactly; agent:support-* matches a prefix.",     \
      "Verwenden Sie weniger Bedingungen oder ein früheres since:. Namen gelten exakt; agent:support-* gilt als Präfix.")          \
    X(TEXT_SEARCH_GOES_ON, "No matches so far", "Bisher keine Treffer")                                                            \
    X(TEXT_SEARCH_GOES_ON_HELP, "The search reached the limit for one page. Choose Older to continue.",                            \
      "Die Suche hat die Grenze für eine Seite erreicht. „Ältere“ setzt sie fort.")                                                \
    X(TEXT_EMPTY_RULES, "No rule hits", "Keine Treffer von Regeln")                                                                \
    X(TEXT_EMPTY_RULES_HELP, "Hits are counted over the last 30 days of the record.",                                              \
      "Gezählt werden die Treffer der letzten 30 Tage im Protokoll.")                                                              \
    X(TEXT_EMPTY_SAMPLES, "No open samples", "Keine offenen Stichproben")                                                          \
    X(TEXT_EMPTY_SAMPLES_HELP, "The key review.sample of the policy turns sampling on.",                                           \
      "Der Schlüssel review.sample der Richtlinie schaltet Stichproben ein.")                                                      \
    X(TEXT_QUERY_HELP_TITLE, "Search syntax", "Suchsyntax")                                                                        \
    X(TEXT_QUERY_HELP,                                                                                                             \
      "Terms are separated by spaces, and all must match: action:block,redact tenant:acme rule:aws-* -agent:test since:7d. Fields: tenant app agent rule category severity action type policy token req session trace since until seq.",\
      "Bedingungen werden durch Leerzeichen getrennt; alle müssen zutreffen: action:block,redact tenant:acme rule:aws-* -agent:test since:7d. Felder: tenant app agent rule category severity action type policy token req session trace since until seq.")\
    X(TEXT_HELD_BY, "assigned to %s", "zugewiesen an %s")                                                                          \
    X(TEXT_WHY_HERE, "Reason for review", "Grund der Prüfung")                                                                     \
    X(TEXT_WHY_ACTION, "The policy selects decisions with this action.",                                                           \
      "Die Richtlinie wählt Entscheidungen mit dieser Aktion aus.")                                                                \
    X(TEXT_WHY_SEVERITY, "The policy selects findings of this severity.", "Die Richtlinie wählt Funde dieses Schweregrads aus.")   \
    X(TEXT_WHY_BAND, "The policy selects findings with a confidence in this range.",                                               \
      "Die Richtlinie wählt Funde mit einer Konfidenz in diesem Bereich aus.")                                                     \
    X(TEXT_WHY_EVENT, "The policy selects this event of an agent.", "Die Richtlinie wählt dieses Ereignis eines Agenten aus.")     \
    X(TEXT_WHY_SAMPLE, "Random sample. The verdict is hidden until the item is closed.",                                           \
      "Zufällige Stichprobe. Das Urteil bleibt verdeckt, bis der Fall abgeschlossen ist.")                                         \
    X(TEXT_WHY_RULE_SAMPLE, "Sample of a rule's findings that were allowed. The verdict is hidden until the item is closed.",       \
      "Stichprobe aus erlaubten Funden einer Regel. Das Urteil bleibt verdeckt, bis der Fall abgeschlossen ist.")                  \
    X(TEXT_TERM_SEVERITY, "Severity", "Schweregrad")                                                                               \
    X(TEXT_TERM_AGENT, "Agent's violations", "Verstöße des Agenten")                                                               \
    X(TEXT_TERM_NOVELTY, "New value", "Neuer Wert")                                                                                \
    X(TEXT_TERM_UNCERTAINTY, "Uncertain finding (confidence near 0.5)", "Unsicherer Fund (Konfidenz nahe 0,5)")                    \
    X(TEXT_TERM_PRECISION, "Uncertain precision of the rule", "Unsichere Präzision der Regel")                                     \
    X(TEXT_STEPS, "History", "Verlauf")                                                                                            \
    X(TEXT_DECIDED, "decision by filterd", "Entscheidung von filterd")                                                             \
    X(TEXT_DID_CLAIM, "claimed the item", "hat den Fall übernommen")                                                               \
    X(TEXT_DID_RELEASE, "unassigned the item", "hat die Zuweisung aufgehoben")                                                     \
    X(TEXT_DID_DISPOSE, "marked the item as", "hat den Fall bewertet als")                                                         \
    X(TEXT_DID_REOPEN, "reopened the item", "hat den Fall wieder geöffnet")                                                        \
    X(TEXT_DID_UNDO, "undid a step", "hat einen Schritt rückgängig gemacht")                                                       \
    X(TEXT_DID_ASSIGN, "assigned the item to", "hat den Fall zugewiesen an")                                                       \
    X(TEXT_DID_ESCALATE, "escalated the item to", "hat den Fall eskaliert an")                                                     \
    X(TEXT_DID_SNOOZE, "snoozed the item", "hat den Fall zurückgestellt")                                                          \
    X(TEXT_DID_NOTE, "added a note", "hat eine Notiz hinzugefügt")                                                                 \
    X(TEXT_LINE_N, "line %s", "Zeile %s")                                                                                          \
    X(TEXT_ALSO, "Related", "Verwandte Zeilen")                                                                                    \
    X(TEXT_SAME_VALUE, "Lines with the same value", "Zeilen mit demselben Wert")                                                   \
    X(TEXT_SAME_REQUEST, "Lines from the same request", "Zeilen derselben Anfrage")                                                \
    X(TEXT_SAME_SESSION, "Lines from the same session", "Zeilen derselben Sitzung")                                                \
    X(TEXT_SAME_AGENT, "Lines from the same agent", "Zeilen desselben Agenten")                                                    \
    X(TEXT_LINES_OF_RULE, "Lines with this rule", "Zeilen mit dieser Regel")                                                       \
    X(TEXT_NOTE, "Note (optional)", "Notiz (optional)")                                                                            \
    X(TEXT_NOTE_HELP,                                                                                                              \
      "Notes are judged by filterd's own rules before they are recorded: secrets are redacted, or the note is refused.",           \
      "Notizen werden vor dem Protokollieren mit den Regeln von filterd geprüft: Geheimnisse werden geschwärzt, oder die Notiz wird abgelehnt.")\
    X(TEXT_OTHER_STEPS, "Snooze, assign, escalate", "Zurückstellen, zuweisen, eskalieren")                                         \
    X(TEXT_MORE_HITS, "Until this many more hits", "Bis zu dieser Zahl weiterer Treffer")                                          \
    X(TEXT_UNTIL_DATE, "Until (date)", "Bis (Datum)")                                                                              \
    X(TEXT_SNOOZE_HELP, "Without a number or a date, until the policy changes.",                                                   \
      "Ohne Zahl und Datum: bis sich die Richtlinie ändert.")                                                                      \
    X(TEXT_PERSON, "Person", "Person")                                                                                             \
    X(TEXT_FOUND, "Findings", "Funde")                                                                                             \
    X(TEXT_FINDING, "Finding", "Fund")                                                                                             \
    X(TEXT_BYTES_AT, "Offset (bytes)", "Position (Bytes)")                                                                         \
    X(TEXT_EXCEPTED, "exception", "Ausnahme")                                                                                      \
    X(TEXT_SHAPE, "Shape of the text, with %s findings", "Form des Textes mit %s Funden")                                          \
    X(TEXT_SHAPE_ONLY, "Shape only: the text itself is not on this server.",                                                       \
      "Nur die Form: Der Text selbst liegt nicht auf diesem Server.")                                                              \
    X(TEXT_NOTHING_FOUND, "No findings in the listed channels.", "Keine Funde in den aufgeführten Kanälen.")                       \
    X(TEXT_PLAIN_TEXT, "plain text", "Klartext")                                                                                   \
    X(TEXT_BYTES, "%s bytes, partly judged", "%s Bytes, teilweise beurteilt")                                                      \
    X(TEXT_BYTES_JUDGED, "%s bytes, all judged", "%s Bytes, vollständig beurteilt")                                                \
    X(TEXT_MORE_FINDINGS, "%s more findings not shown.", "%s weitere Funde werden nicht angezeigt.")                               \
    X(TEXT_FACTS, "Details", "Details")                                                                                            \
    X(TEXT_APP, "Application", "Anwendung")                                                                                        \
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
    X(TEXT_AS_WRITTEN, "Raw line", "Rohzeile")                                                                                     \
    X(TEXT_CUT, "Truncated; the line has %s bytes. filterctl log prints it in full.",                                              \
      "Gekürzt; die Zeile hat %s Bytes. filterctl log gibt sie vollständig aus.")                                                  \
    X(TEXT_PROVE, "Prove integrity", "Integrität beweisen")                                                                        \
    X(TEXT_TO_ITEM, "Open item", "Fall öffnen")                                                                                    \
    X(TEXT_HELD_BACK, "Withheld per hour, last 48 hours", "Zurückgehalten pro Stunde, letzte 48 Stunden")                          \
    X(TEXT_CHART_HOURS, "Decisions that withheld text, per hour; at most %s in one hour",                                          \
      "Entscheidungen pro Stunde, die Text zurückhielten; höchstens %s in einer Stunde")                                           \
    X(TEXT_CHART_TREND, "Hits per day over 30 days; %s today", "Treffer pro Tag über 30 Tage; heute %s")                           \
    X(TEXT_NOW, "now", "jetzt")                                                                                                    \
    X(TEXT_AS_TABLE, "Show as table", "Als Tabelle anzeigen")                                                                      \
    X(TEXT_HOUR, "Hour", "Stunde")                                                                                                 \
    X(TEXT_HITS, "Hits", "Treffer")                                                                                                \
    X(TEXT_OPEN_ITEMS, "Open items", "Offene Fälle")                                                                               \
    X(TEXT_TREND, "30 days", "30 Tage")                                                                                            \
    X(TEXT_RULES_HELP, "Decisions of the last 30 days, by deciding rule, and how many of those reviewed were right.",              \
      "Entscheidungen der letzten 30 Tage, nach entscheidender Regel, und welcher Anteil der geprüften richtig war.")              \
    X(TEXT_RULES_CUT, "Only the first %s rules are shown.", "Nur die ersten %s Regeln werden angezeigt.")                          \
    X(TEXT_HITS_30, "decisions in 30 days", "Entscheidungen in 30 Tagen")                                                          \
    X(TEXT_REVIEWED, "reviewed", "geprüft")                                                                                        \
    X(TEXT_PRECISION, "precision (95% interval)", "Präzision (95-%-Intervall)")                                                    \
    X(TEXT_PRECISION_OF_RULE, "Precision (95% interval)", "Präzision (95-%-Intervall)")                                            \
    X(TEXT_MISSES, "estimated misses per week, from blind samples of all allowed texts",                                           \
      "geschätzt übersehene Texte pro Woche, aus blinden Stichproben aller erlaubten")                                             \
    X(TEXT_POINT, ".", ",")                                                                                                        \
    X(TEXT_SHADOW_TITLE, "Stop acting on this rule?", "Diese Regel nicht mehr anwenden?")                                          \
    X(TEXT_SHADOW_HELP,                                                                                                            \
      "Reviewers found it wrong more often than right. With this entry under exceptions: in the policy, filterd records its findings and does not act on them; until: sets an end:",\
      "Prüfende fanden sie öfter falsch als richtig. Mit diesem Eintrag unter exceptions: in der Richtlinie werden ihre Funde nur noch protokolliert; until: setzt ein Ende:")\
    X(TEXT_BY_DIGEST, "Dispositions by policy", "Bewertungen nach Richtlinie")                                                     \
    X(TEXT_NOT_REVIEWED, "Not reviewed in 30 days", "In 30 Tagen nicht geprüft")                                                   \
    X(TEXT_NOT_REVIEWED_HELP, "Precision is shown once items of this rule are closed.",                                            \
      "Die Präzision wird angezeigt, sobald Fälle dieser Regel abgeschlossen sind.")                                               \
    X(TEXT_SAMPLING_HELP,                                                                                                          \
      "Random texts that were allowed. Their verdict is hidden until you choose a disposition; misses are estimated from the dispositions.",\
      "Zufällige Texte, die erlaubt wurden. Das Urteil bleibt verdeckt, bis Sie bewerten; aus den Bewertungen wird geschätzt, wie viel übersehen wird.")\
    X(TEXT_SAMPLES_REVIEWED, "samples reviewed", "geprüfte Stichproben")                                                           \
    X(TEXT_SAMPLES_MISSED, "misses among them", "davon übersehen")                                                                 \
    X(TEXT_RULE_SAMPLES, "Samples of single rules", "Stichproben einzelner Regeln")                                                \
    X(TEXT_RULE_SAMPLES_HELP,                                                                                                      \
      "Allowed texts in which a rule found something, so that each rule has enough of them (per_rule_min). They do not count for the estimate of misses.",\
      "Erlaubte Texte, in denen eine Regel etwas fand, damit jede Regel genug davon hat (per_rule_min). Für die Schätzung des Übersehenen zählen sie nicht.")\
    X(TEXT_RULE_SAMPLES_MISSED, "of %s closed samples of its allowed findings should have been acted on",                          \
      "von %s abgeschlossenen Stichproben ihrer erlaubten Funde hätten nicht erlaubt werden dürfen")                               \
    X(TEXT_AGREEMENT, "Reviewer agreement", "Übereinstimmung der Prüfenden")                                                       \
    X(TEXT_PAIR, "Pair", "Paar")                                                                                                   \
    X(TEXT_BOTH_REVIEWED, "Both reviewed", "Beide geprüft")                                                                        \
    X(TEXT_AGREED, "Same disposition", "Gleiche Bewertung")                                                                        \
    X(TEXT_KAPPA, "Cohen's kappa", "Cohens Kappa")                                                                                 \
    X(TEXT_KEYS, "Keyboard shortcuts", "Tastenkürzel")                                                                             \
    X(TEXT_KEYS_ON, "Turn shortcuts on or off", "Tastenkürzel ein- oder ausschalten")                                              \
    X(TEXT_KEY_MOVE, "next, previous row", "nächste, vorige Zeile")                                                                \
    X(TEXT_KEY_OPEN, "open", "öffnen")                                                                                             \
    X(TEXT_KEY_BACK, "back to the list", "zurück zur Liste")                                                                       \
    X(TEXT_KEY_CHOOSE, "select the row", "Zeile auswählen")                                                                        \
    X(TEXT_KEY_EXTEND, "extend the selection", "Auswahl erweitern")                                                                \
    X(TEXT_KEY_ANSWER, "true positive, false positive, benign, policy gap, unsure",                                                \
      "richtig, Fehlalarm, unbedenklich, Lücke, unsicher")                                                                         \
    X(TEXT_KEY_EXCEPTION, "propose exception", "Ausnahme vorschlagen")                                                             \
    X(TEXT_KEY_REVEAL, "request reveal", "Einsicht beantragen")                                                                    \
    X(TEXT_KEY_NEIGHBOURS, "lines with the same value", "Zeilen mit demselben Wert")                                               \
    X(TEXT_KEY_GO, "go to queue, records, agents", "zu Warteschlange, Einträgen, Agenten")                                         \
    X(TEXT_DECISIONS, "Decisions", "Entscheidungen")                                                                               \
    X(TEXT_HELD, "Withheld", "Zurückgehalten")                                                                                     \
    X(TEXT_EVENTS, "Agent events", "Ereignisse von Agenten")                                                                       \
    X(TEXT_WHICH_LINES, "Filter lines", "Zeilen filtern")                                                                          \
    X(TEXT_EXCEPTIONS, "Exceptions", "Ausnahmen")                                                                                  \
    X(TEXT_EXCEPTION, "Rule", "Regel")                                                                                             \
    X(TEXT_REVEALS, "Reveals", "Einsichten")                                                                                       \
    X(TEXT_REVEAL, "Original", "Original")                                                                                         \
    X(TEXT_SCOPE, "Scope", "Geltungsbereich")                                                                                      \
    X(TEXT_PREVIEW, "Preview", "Vorschau")                                                                                         \
    X(TEXT_PREVIEW_30, "What it would have let through in the last 30 days",                                                       \
      "Was sie in den letzten 30 Tagen durchgelassen hätte")                                                                       \
    X(TEXT_WOULD_PASS, "Findings let through: %s", "Durchgelassene Funde: %s")                                                     \
    X(TEXT_CONFIRMED, "Confirmed true positives: %s", "Als richtig bestätigt: %s")                                                 \
    X(TEXT_OR_MORE, "(or more: the count is truncated)", "(oder mehr: Die Zählung ist begrenzt)")                                  \
    X(TEXT_WIDTH_VALUE, "This value", "Dieser Wert")                                                                               \
    X(TEXT_WIDTH_APP, "This rule in this application", "Diese Regel in dieser Anwendung")                                          \
    X(TEXT_WIDTH_PATTERN, "Values that match a pattern", "Werte, auf die ein Muster passt")                                        \
    X(TEXT_PATTERN, "Pattern (for the third scope only)", "Muster (nur für den dritten Geltungsbereich)")                          \
    X(TEXT_UNTIL_90, "Until (at most 90 days)", "Bis (höchstens 90 Tage)")                                                         \
    X(TEXT_UNTIL_TIME, "Until", "Bis")                                                                                             \
    X(TEXT_PROPOSE_FROM, "Propose exception from line %s", "Ausnahme aus Zeile %s vorschlagen")                                    \
    X(TEXT_NEEDS_ADMIN,                                                                                                            \
      "An admin has to approve this: the scope is wider than one value, and reviewers confirmed findings in it or the count is truncated.",\
      "Hier muss ein Admin genehmigen: Der Geltungsbereich ist weiter als ein Wert, und Prüfende haben Funde darin bestätigt, oder die Zählung ist begrenzt.")\
    X(TEXT_APPROVE, "Approve", "Genehmigen")                                                                                       \
    X(TEXT_REFUSE, "Refuse", "Ablehnen")                                                                                           \
    X(TEXT_WITHDRAW, "Withdraw", "Zurückziehen")                                                                                   \
    X(TEXT_CLOSE, "Close", "Schließen")                                                                                            \
    X(TEXT_SECOND_PERSON, "Waiting for a second person.", "Wartet auf eine zweite Person.")                                        \
    X(TEXT_PROPOSED, "proposed", "vorgeschlagen")                                                                                  \
    X(TEXT_ACTIVE, "active", "aktiv")                                                                                              \
    X(TEXT_REFUSED, "refused", "abgelehnt")                                                                                        \
    X(TEXT_WITHDRAWN, "withdrawn", "zurückgezogen")                                                                                \
    X(TEXT_EXPIRED, "expired", "abgelaufen")                                                                                       \
    X(TEXT_ASKED, "requested", "beantragt")                                                                                        \
    X(TEXT_GRANTED, "granted", "genehmigt")                                                                                        \
    X(TEXT_OPENED, "opened", "geöffnet")                                                                                           \
    X(TEXT_REVEAL_CLOSED, "closed", "geschlossen")                                                                                 \
    X(TEXT_POLICY_ENTRY, "Policy entry", "Eintrag für die Richtlinie")                                                             \
    X(TEXT_PURPOSE_INCIDENT, "Incident", "Vorfall")                                                                                \
    X(TEXT_PURPOSE_SUBJECT, "Data subject request", "Anfrage einer betroffenen Person")                                            \
    X(TEXT_PURPOSE_QUALITY, "Rule quality", "Qualität der Regeln")                                                                 \
    X(TEXT_PURPOSE_LEGAL, "Legal", "Rechtliches")                                                                                  \
    X(TEXT_CASE, "Case", "Aktenzeichen")                                                                                           \
    X(TEXT_ASK_FOR, "Request reveal of the original of line %s", "Einsicht in das Original von Zeile %s beantragen")               \
    X(TEXT_ASK_HELP,                                                                                                               \
      "Another person with the role approver sees your name, the purpose and the case. A grant is valid for 60 minutes and for this line only. Every step is on record.",\
      "Eine andere Person mit der Rolle approver sieht Ihren Namen, Zweck und Aktenzeichen. Eine Genehmigung gilt 60 Minuten und nur für diese Zeile. Jeder Schritt wird protokolliert.")\
    X(TEXT_WHY_AGAIN, "Reason for another download", "Grund für den erneuten Download")                                            \
    X(TEXT_DOWNLOAD, "Download sealed file", "Versiegelte Datei herunterladen")                                                    \
    X(TEXT_HOW_TO_OPEN, "How to decrypt the file", "So entschlüsseln Sie die Datei")                                               \
    X(TEXT_HOW_TO_OPEN_HELP,                                                                                                       \
      "The file is encrypted to the recipients' keys; this server cannot decrypt it. On the machine with your key, run:",          \
      "Die Datei ist für die Schlüssel der Empfänger verschlüsselt; dieser Server kann sie nicht entschlüsseln. Auf dem Rechner mit Ihrem Schlüssel:")\
    X(TEXT_IDENTITY_FILE, "age identity file", "age-Identitätsdatei")                                                              \
    X(TEXT_OPEN_HERE, "Open in this browser", "In diesem Browser öffnen")                                                          \
    X(TEXT_ORIGINAL_HELP, "Decrypted in this browser; your identity file was not sent. The text is cleared when the grant ends. Copying is not prevented.",\
      "In diesem Browser entschlüsselt; Ihre Identitätsdatei wurde nicht gesendet. Der Text wird gelöscht, wenn die Freigabe endet. Kopieren wird nicht verhindert.")\
    X(TEXT_CLEAR_ORIGINAL, "Clear", "Löschen")                                                                                     \
    X(TEXT_SAY_IDENTITY, "The file has no age identity: a line AGE-SECRET-KEY-1… is required.",                                    \
      "Die Datei enthält keine age-Identität: Eine Zeile AGE-SECRET-KEY-1… ist erforderlich.")                                     \
    X(TEXT_SAY_WRONG, "This identity is not a recipient of the original.", "Diese Identität ist kein Empfänger des Originals.")    \
    X(TEXT_SAY_SECOND, "The original is sealed to two groups. Select a file with an identity of each.",                            \
      "Das Original ist für zwei Gruppen versiegelt. Bitte eine Datei mit je einer Identität beider wählen.")                      \
    X(TEXT_SAY_FORMAT, "The decrypted file is not a sealed original of this line.",                                                \
      "Die entschlüsselte Datei ist kein versiegeltes Original dieser Zeile.")                                                     \
    X(TEXT_SAY_GRANT, "You have no grant, or it has expired. Reload the page.",                                                    \
      "Sie haben keine Freigabe, oder sie ist abgelaufen. Bitte die Seite neu laden.")                                             \
    X(TEXT_SAY_GONE, "The original has been removed, or its key was erased.",                                                      \
      "Das Original wurde entfernt, oder sein Schlüssel wurde gelöscht.")                                                          \
    X(TEXT_SAY_WHY, "The original was opened before. Reload the page and enter a reason.",                                         \
      "Das Original wurde schon geöffnet. Bitte die Seite neu laden und einen Grund angeben.")                                     \
    X(TEXT_SAY_SERVER, "The server did not answer. Sign in again, or try again later.",                                            \
      "Der Server hat nicht geantwortet. Bitte neu anmelden oder später versuchen.")                                               \
    X(TEXT_EMPTY_EXCEPTIONS, "No exceptions", "Keine Ausnahmen")                                                                   \
    X(TEXT_EMPTY_EXCEPTIONS_HELP,                                                                                                  \
      "Open an item and choose Propose exception: the preview shows what it would have let through before a second person approves it.",\
      "Öffnen Sie einen Fall und wählen Sie „Ausnahme vorschlagen“: Die Vorschau zeigt, was sie durchgelassen hätte, bevor eine zweite Person genehmigt.")\
    X(TEXT_EMPTY_REVEALS, "No reveal requests", "Keine Anträge auf Einsicht")                                                      \
    X(TEXT_EMPTY_REVEALS_HELP, "Originals are kept if the policy has the key seal. Open an item and choose Request reveal.",       \
      "Originale werden aufbewahrt, wenn die Richtlinie den Schlüssel seal hat. Öffnen Sie einen Fall und wählen Sie „Einsicht beantragen“.")\
    X(TEXT_NOTICE_PROPOSED, "Exception proposed. A second person has to approve it.",                                              \
      "Ausnahme vorgeschlagen. Eine zweite Person muss sie genehmigen.")                                                           \
    X(TEXT_NOTICE_ASKED, "Reveal requested. A second person has to approve it.",                                                   \
      "Einsicht beantragt. Eine zweite Person muss sie genehmigen.")                                                               \
    X(TEXT_NOTICE_DECIDED, "Recorded.", "Protokolliert.")                                                                          \
    X(TEXT_FAULT_EYES, "This needs another person, or a role that you do not have.",                                               \
      "Dafür ist eine andere Person nötig oder eine Rolle, die Sie nicht haben.")                                                  \
    X(TEXT_FAULT_EXCEPTION, "Enter an item, a scope, a date within 90 days and a reason; for the third scope also a pattern.",     \
      "Bitte Fall, Geltungsbereich, ein Datum innerhalb von 90 Tagen und einen Grund angeben; für den dritten Geltungsbereich auch ein Muster.")\
    X(TEXT_FAULT_REVEAL, "Enter a line with a sealed original, a purpose and a case.",                                             \
      "Bitte eine Zeile mit versiegeltem Original, einen Zweck und ein Aktenzeichen angeben.")

#endif
