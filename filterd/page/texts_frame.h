/* texts_frame.h - texts of the frame: head, navigation, notices, errors, signing in. */
#ifndef FILTERD_PAGE_TEXTS_FRAME_H
#define FILTERD_PAGE_TEXTS_FRAME_H

#define TEXTS_FRAME(X)                                                                                                             \
    X(TEXT_SKIP, "Skip to content", "Zum Inhalt springen")                                                                         \
    X(TEXT_NAVIGATION, "Screens", "Ansichten")                                                                                     \
    X(TEXT_LANGUAGE, "Language", "Sprache")                                                                                        \
    X(TEXT_SIGN_IN, "Sign in", "Anmelden")                                                                                         \
    X(TEXT_SIGN_OUT, "Sign out", "Abmelden")                                                                                       \
    X(TEXT_EXTEND, "Extend session", "Sitzung verlängern")                                                                         \
    X(TEXT_LIMITED, "tenant %s only", "nur Mandant %s")                                                                            \
    X(TEXT_INDEXED, "index %s s behind", "Index %s s zurück")                                                                      \
    X(TEXT_NO_INDEX, "no index", "kein Index")                                                                                     \
    X(TEXT_TOKEN, "Token", "Token")                                                                                                \
    X(TEXT_TOKEN_HELP, "A token from the service's tokens file. filterd --hash-token creates an entry.",                           \
      "Ein Token aus der Tokendatei des Dienstes. filterd --hash-token erzeugt den Eintrag.")                                      \
    X(TEXT_CONTINUE, "Already signed in? Continue", "Schon angemeldet? Weiter")                                                    \
    X(TEXT_HOME, "Review", "Prüfung")                                                                                              \
    X(TEXT_BACK, "Back to start", "Zur Startseite")                                                                                \
    X(TEXT_YES, "yes", "ja")                                                                                                       \
    X(TEXT_NO, "no", "nein")                                                                                                       \
    X(TEXT_NOT_KNOWN, "unknown", "unbekannt")                                                                                      \
    X(TEXT_OLDER, "Older", "Ältere")                                                                                               \
    X(TEXT_NEWEST, "Newest", "Neueste")                                                                                            \
    X(TEXT_WHEN, "When", "Wann")                                                                                                   \
    X(TEXT_WHO, "Who", "Wer")                                                                                                      \
    X(TEXT_ROLE, "Role", "Rolle")                                                                                                  \
    X(TEXT_WHY, "Reason", "Grund")                                                                                                 \
    X(TEXT_FAULT_TITLE, "Something went wrong", "Das hat nicht funktioniert")                                                      \
    X(TEXT_FAULT_400, "The request is invalid.", "Die Anfrage ist ungültig.")                                                      \
    X(TEXT_FAULT_401, "Sign in first.", "Bitte zuerst anmelden.")                                                                  \
    X(TEXT_FAULT_403, "Your role does not permit this.", "Ihre Rolle erlaubt das nicht.")                                          \
    X(TEXT_FAULT_404, "Not found, or you do not have access.", "Nicht gefunden, oder Sie haben keinen Zugriff.")                   \
    X(TEXT_FAULT_405, "This address only accepts forms.", "Diese Adresse nimmt nur Formulare an.")                                 \
    X(TEXT_FAULT_409, "The state has changed in the meantime. Reload the page.",                                                   \
      "Der Stand hat sich inzwischen geändert. Bitte die Seite neu laden.")                                                        \
    X(TEXT_FAULT_412, "Someone else changed this first. Reload the page.",                                                         \
      "Jemand anders war schneller. Bitte die Seite neu laden.")                                                                   \
    X(TEXT_FAULT_422, "A form value is missing or invalid.", "Ein Wert im Formular fehlt oder ist ungültig.")                      \
    X(TEXT_FAULT_429, "Too many failed attempts. Try again in a minute.",                                                          \
      "Zu viele Fehlversuche. Bitte in einer Minute erneut versuchen.")                                                            \
    X(TEXT_FAULT_500, "The record could not be read. See the service's log for the reason.",                                       \
      "Das Protokoll konnte nicht gelesen werden. Den Grund nennt das Log des Dienstes.")                                          \
    X(TEXT_FAULT_503, "The service is busy, or the index is being built. Try again in a moment.",                                  \
      "Der Dienst ist ausgelastet, oder der Index wird gerade aufgebaut. Bitte gleich erneut versuchen.")                          \
    X(TEXT_FAULT_FORM, "The form has expired or came from another site. Reload the page and submit it again.",                     \
      "Das Formular ist abgelaufen oder kam von einer anderen Website. Bitte die Seite neu laden und noch einmal senden.")         \
    X(TEXT_FAULT_TOKEN, "Unknown token.", "Unbekanntes Token.")                                                                    \
    X(TEXT_FAULT_INSECURE, "Signing in requires TLS, loopback or a Unix socket: otherwise the token could be intercepted.",        \
      "Anmelden geht nur über TLS, Loopback oder einen Unix-Socket: sonst könnte das Token mitgelesen werden.")                    \
    X(TEXT_FAULT_PROXY, "The reverse proxy sent no user, or a user without a group that has access.",                              \
      "Der Reverse-Proxy hat keine Person genannt oder eine ohne berechtigte Gruppe.")                                             \
    X(TEXT_FAULT_NO_INDEX, "The service runs without an index (index: off), so records cannot be listed.",                         \
      "Der Dienst läuft ohne Index (index: off); Einträge lassen sich nicht auflisten.")                                           \
    X(TEXT_NOTICE_SIGNED_OUT, "You are signed out.", "Sie sind abgemeldet.")                                                       \
    X(TEXT_NOTICE_EXTENDED_LAST, "Session extended to its limit. Sign in again when it ends.",                                     \
      "Sitzung bis zu ihrer Höchstdauer verlängert. Danach ist eine neue Anmeldung nötig.")                                        \
    X(TEXT_NOTICE_EXTENDED, "Session extended.", "Sitzung verlängert.")

#endif
