/* texts_frame.h - texts of what every page has: head, navigation, notices, errors, signing in. */
#ifndef FILTERD_PAGE_TEXTS_FRAME_H
#define FILTERD_PAGE_TEXTS_FRAME_H

#define TEXTS_FRAME(X)                                                                                                             \
    X(TEXT_SKIP, "Skip to content", "Zum Inhalt springen")                                                                         \
    X(TEXT_NAVIGATION, "Screens", "Ansichten")                                                                                     \
    X(TEXT_LANGUAGE, "Language", "Sprache")                                                                                        \
    X(TEXT_SIGN_IN, "Sign in", "Anmelden")                                                                                         \
    X(TEXT_SIGN_OUT, "Sign out", "Abmelden")                                                                                       \
    X(TEXT_EXTEND, "Stay signed in", "Angemeldet bleiben")                                                                         \
    X(TEXT_LIMITED, "tenant %s only", "nur Mandant %s")                                                                            \
    X(TEXT_INDEXED, "indexed, %s s behind", "Index %s s zurück")                                                                   \
    X(TEXT_NO_INDEX, "no index", "kein Index")                                                                                     \
    X(TEXT_TOKEN, "Token", "Token")                                                                                                \
    X(TEXT_TOKEN_HELP, "From the tokens file of the service. filterd --hash-token makes its line.",                                \
      "Aus der Tokendatei des Dienstes. filterd --hash-token erzeugt die Zeile dafür.")                                            \
    X(TEXT_CONTINUE, "Already signed in? Continue", "Schon angemeldet? Weiter")                                                    \
    X(TEXT_HOME, "Review", "Prüfung")                                                                                              \
    X(TEXT_BACK, "Back to the first screen", "Zurück zur ersten Ansicht")                                                          \
    X(TEXT_YES, "yes", "ja")                                                                                                       \
    X(TEXT_NO, "no", "nein")                                                                                                       \
    X(TEXT_NOT_KNOWN, "not known", "nicht bekannt")                                                                                \
    X(TEXT_OLDER, "Older", "Ältere")                                                                                               \
    X(TEXT_NEWEST, "Newest", "Neueste")                                                                                            \
    X(TEXT_WHEN, "When", "Wann")                                                                                                   \
    X(TEXT_WHO, "Who", "Wer")                                                                                                      \
    X(TEXT_ROLE, "Role", "Rolle")                                                                                                  \
    X(TEXT_WHY, "Why", "Warum")                                                                                                    \
    X(TEXT_FAULT_TITLE, "That did not work", "Das hat nicht funktioniert")                                                         \
    X(TEXT_FAULT_400, "The request was not understood.", "Die Anfrage war nicht verständlich.")                                    \
    X(TEXT_FAULT_401, "Sign in first.", "Bitte zuerst anmelden.")                                                                  \
    X(TEXT_FAULT_403, "Your role does not reach here.", "Ihre Rolle reicht dafür nicht aus.")                                      \
    X(TEXT_FAULT_404, "There is nothing here, or it is not yours to see.", "Hier gibt es nichts, oder nichts für Sie.")            \
    X(TEXT_FAULT_405, "This address shows nothing; it takes a form.", "Diese Adresse zeigt nichts; sie nimmt ein Formular an.")    \
    X(TEXT_FAULT_409, "The state has changed in the meantime. Look at it again.",                                                  \
      "Der Stand hat sich inzwischen geändert. Bitte neu ansehen.")                                                                \
    X(TEXT_FAULT_412, "Somebody else was faster. Look at it again.", "Jemand war schneller. Bitte neu ansehen.")                   \
    X(TEXT_FAULT_422, "A value of the form is missing or wrong.", "Ein Wert des Formulars fehlt oder ist falsch.")                 \
    X(TEXT_FAULT_429, "Too many failed attempts. Try again in a minute.",                                                          \
      "Zu viele Fehlversuche. Bitte in einer Minute wieder versuchen.")                                                            \
    X(TEXT_FAULT_500, "The record could not be read; the log of the service says why.",                                            \
      "Das Protokoll konnte nicht gelesen werden; das Log des Dienstes nennt den Grund.")                                          \
    X(TEXT_FAULT_503, "The service is busy or the index is being made. Try again in a moment.",                                    \
      "Der Dienst ist ausgelastet oder der Index entsteht noch. Bitte gleich wieder versuchen.")                                   \
    X(TEXT_FAULT_FORM, "The form came from another page, or is too old. Open the page again and send it once more.",               \
      "Das Formular kam von einer anderen Seite oder ist zu alt. Seite neu öffnen und noch einmal senden.")                        \
    X(TEXT_FAULT_TOKEN, "No entry of the tokens file has this token.", "Kein Eintrag der Tokendatei passt zu diesem Token.")       \
    X(TEXT_FAULT_INSECURE, "Signing in needs TLS, loopback or a Unix socket: anybody on the way could read the token.",            \
      "Anmelden geht nur über TLS, Loopback oder einen Unix-Socket: sonst könnte das Token unterwegs gelesen werden.")             \
    X(TEXT_FAULT_PROXY, "The reverse proxy named nobody, or a person without a group that may review.",                           \
      "Der Reverse-Proxy nannte niemanden, oder eine Person ohne Gruppe, die prüfen darf.")                                       \
    X(TEXT_FAULT_NO_INDEX, "The service runs without an index (index: off), so records cannot be listed.",                         \
      "Der Dienst läuft ohne Index (index: off); Einträge lassen sich nicht auflisten.")                                           \
    X(TEXT_NOTICE_SIGNED_OUT, "You are signed out.", "Sie sind abgemeldet.")                                                       \
    X(TEXT_NOTICE_EXTENDED, "Your session goes on.", "Ihre Sitzung läuft weiter.")

#endif
