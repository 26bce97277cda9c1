/* texts_fleet.h - texts of the screens of a fleet. */
#ifndef FILTERD_PAGE_TEXTS_FLEET_H
#define FILTERD_PAGE_TEXTS_FLEET_H

#define TEXTS_FLEET(X)                                                                                                             \
    X(TEXT_FLEET, "Fleet", "Verbund")                                                                                              \
    X(TEXT_FLEET_RECORDS, "Records of the fleet", "Einträge des Verbunds")                                                         \
    X(TEXT_FLEET_GROUPS, "Groups of the fleet", "Gruppen des Verbunds")                                                            \
    X(TEXT_FLEET_EXCEPTIONS, "Exceptions of the fleet", "Ausnahmen des Verbunds")                                                  \
    X(TEXT_FLEET_REVEALS, "Reveals of the fleet", "Einsichten des Verbunds")                                                      \
    X(TEXT_NODE, "Node", "Knoten")                                                                                                 \
    X(TEXT_NODES, "Nodes", "Knoten")                                                                                               \
    X(TEXT_LINES_PROVEN, "Lines proven", "Bewiesene Zeilen")                                                                       \
    X(TEXT_COPY_STATE, "State of the copy", "Zustand der Kopie")                                                                   \
    X(TEXT_COPY_GOOD, "as the node has signed it", "wie vom Knoten signiert")                                                      \
    X(TEXT_COPY_READING, "being read: up to line %s so far", "wird gelesen: bisher bis Zeile %s")                                        \
    X(TEXT_NO_COPIES, "No nodes yet", "Noch keine Knoten")                                                                         \
    X(TEXT_NO_COPIES_HELP, "filterd-link has not gathered the log of a node.",                                                     \
      "filterd-link hat noch von keinem Knoten das Protokoll geholt.")                                                             \
    X(TEXT_PROVEN, "proven", "bewiesen")                                                                                           \
    X(TEXT_UNSIGNED, "not signed yet", "noch nicht signiert")                                                                      \
    X(TEXT_BROKEN, "proof broken", "Beweis gebrochen")                                                                             \
    X(TEXT_PROVEN_HELP, "This line is in the log that the key of its node has signed.",                                            \
      "Diese Zeile steht in dem Protokoll, das der Schlüssel ihres Knotens signiert hat.")                                         \
    X(TEXT_UNSIGNED_HELP, "The node has not signed this line yet, so it cannot be decided.",                                       \
      "Der Knoten hat diese Zeile noch nicht signiert; deshalb kann sie nicht entschieden werden.")                                \
    X(TEXT_BROKEN_HELP, "This line is not what the node has signed. It must not be relied on and cannot be decided.",              \
      "Diese Zeile ist nicht, was der Knoten signiert hat. Sie ist nicht verlässlich und kann nicht entschieden werden.")          \
    X(TEXT_NOT_PROVEN, "Lines that are not proven", "Nicht bewiesene Zeilen")                                                      \
    X(TEXT_DOWNLOAD_PROOF, "Download the proof", "Beweis herunterladen")                                                           \
    X(TEXT_ORDERS, "Decisions on their way", "Entscheidungen unterwegs")                                                           \
    X(TEXT_ORDER_WAITS, "waits for its node", "wartet auf den Knoten")                                                             \
    X(TEXT_ORDER_DONE, "recorded by the node as line %s", "vom Knoten als Zeile %s protokolliert")                                 \
    X(TEXT_ORDER_REFUSED, "the node refused it: %s", "vom Knoten abgelehnt: %s")                                                   \
    X(TEXT_NO_CONSOLE, "This service has no key of a review console: decide on the node.",                                         \
      "Dieser Dienst hat keinen Schlüssel einer Prüfkonsole: Bitte auf dem Knoten entscheiden.")                                   \
    X(TEXT_EMPTY_FLEET, "No such items on any node", "Auf keinem Knoten gibt es solche Fälle")                                     \
    X(TEXT_EMPTY_FLEET_HELP, "Lines count once their node has signed them.",                                                       \
      "Zeilen zählen, sobald ihr Knoten sie signiert hat.")                                                                        \
    X(TEXT_NOTICE_ORDERED, "Placed. The node has not answered yet: it will record the decision when it is reached.",               \
      "Abgegeben. Der Knoten hat noch nicht geantwortet: Er protokolliert die Entscheidung, sobald er erreichbar ist.")            \
    X(TEXT_NOTICE_ORDERED_ALL, "Placed. Each node records its decisions when it is reached; what it refuses is said at the item.",     \
      "Abgegeben. Jeder Knoten protokolliert seine Entscheidungen, sobald er erreichbar ist; was er ablehnt, steht beim Fall.")      \
    X(TEXT_NOTICE_ORDERED_SOME, "Some of the decisions were not placed: those items are still here. Try them again.",                  \
      "Einige Entscheidungen wurden nicht abgegeben: Diese Fälle stehen noch hier. Bitte noch einmal versuchen.")                   \
    X(TEXT_NOTICE_NODE_RECORDED, "The node has recorded it. It shows here when its log has been copied.",                          \
      "Der Knoten hat es protokolliert. Hier erscheint es, sobald sein Protokoll kopiert ist.")                                    \
    X(TEXT_NOTICE_NODE_REFUSED, "Nothing was changed: the node refused the decision. The reason is below.",                        \
      "Nichts wurde geändert: Der Knoten hat die Entscheidung abgelehnt. Der Grund steht unten.")                                  \
    X(TEXT_FAULT_NOT_PROVEN, "The line is not proven, so it cannot be decided.",                                                   \
      "Die Zeile ist nicht bewiesen; deshalb kann sie nicht entschieden werden.")                                                  \
    X(TEXT_FAULT_NOT_PLACED, "The decision was not placed, or it is not known whether it was: look at the item again.",            \
      "Die Entscheidung wurde nicht abgegeben, oder es ist nicht bekannt, ob: Bitte den Fall erneut ansehen.")
#endif
