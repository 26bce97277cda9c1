/* texts_passkeys.h - texts of passkeys: signing in with them, and the screen where people register and remove them. */
#ifndef FILTERD_PAGE_TEXTS_PASSKEYS_H
#define FILTERD_PAGE_TEXTS_PASSKEYS_H

#define TEXTS_PASSKEYS(X)                                                                                                          \
    X(TEXT_PASSKEYS, "Passkeys", "Passkeys")                                                                                       \
    X(TEXT_PASSKEYS_OWN, "Your passkeys", "Ihre Passkeys")                                                                         \
    X(TEXT_PASSKEYS_HELP,                                                                                                          \
      "Once you have a passkey, your token alone no longer signs you in. Register a second one: if you lose your only passkey, an administrator has to reset it.",\
      "Sobald Sie einen Passkey haben, genügt Ihr Token allein nicht mehr zur Anmeldung. Registrieren Sie einen zweiten: Geht der einzige verloren, muss die Administration ihn zurücksetzen.")\
    X(TEXT_PASSKEYS_NONE, "You have no passkey.", "Sie haben keinen Passkey.")                                                     \
    X(TEXT_PASSKEYS_FIRST, "Passkeys are required. Register yours to continue.",                                                   \
      "Passkeys sind vorgeschrieben. Registrieren Sie Ihren, um fortzufahren.")                                                    \
    X(TEXT_PASSKEYS_OFF, "Passkeys are switched off (option page-passkeys).", "Passkeys sind abgeschaltet (Option page-passkeys).") \
    X(TEXT_PASSKEYS_ALL, "Passkeys of all people", "Passkeys aller Personen")                                                      \
    X(TEXT_PASSKEYS_ALL_NONE, "Nobody has a passkey.", "Niemand hat einen Passkey.")                                               \
    X(TEXT_PASSKEY, "Passkey", "Passkey")                                                                                          \
    X(TEXT_PASSKEY_PERSON, "Person", "Person")                                                                                            \
    X(TEXT_PASSKEY_ADDED, "Registered", "Registriert")                                                                             \
    X(TEXT_PASSKEY_USED, "Last used", "Zuletzt verwendet")                                                                         \
    X(TEXT_PASSKEY_ADD, "Register a passkey", "Passkey registrieren")                                                              \
    X(TEXT_PASSKEY_NAME, "Name of the passkey, such as the device", "Name des Passkeys, etwa das Gerät")                           \
    X(TEXT_PASSKEY_REMOVE, "Remove", "Entfernen")                                                                                  \
    X(TEXT_PASSKEYS_RESET, "Reset a person's passkeys", "Passkeys einer Person zurücksetzen")                                      \
    X(TEXT_PASSKEYS_RESET_HELP,                                                                                                    \
      "Removes all passkeys of a person who has lost them, and is recorded. Make sure that it is the person who asks.",            \
      "Entfernt alle Passkeys einer Person, die sie verloren hat, und wird protokolliert. Vergewissern Sie sich, dass wirklich diese Person darum bittet.")\
    X(TEXT_PASSKEYS_RESET_DO, "Reset", "Zurücksetzen")                                                                             \
    X(TEXT_CONFIRM, "Confirm with your passkey", "Mit Passkey bestätigen")                                                         \
    X(TEXT_CONFIRM_HELP, "Your browser asks for the passkey and for your PIN, fingerprint or face.",                               \
      "Der Browser fragt nach dem Passkey und nach PIN, Fingerabdruck oder Gesicht.")                                              \
    X(TEXT_CONFIRM_DO, "Use passkey", "Passkey verwenden")                                                                         \
    X(TEXT_PASSKEYS_SCRIPT, "Passkeys require JavaScript, which is switched off or not available in this browser.",                \
      "Passkeys benötigen JavaScript; es ist ausgeschaltet oder in diesem Browser nicht verfügbar.")                               \
    X(TEXT_SAY_PASSKEY, "The browser did not provide a passkey. Try again.",                                                       \
      "Der Browser hat keinen Passkey geliefert. Bitte noch einmal versuchen.")                                                    \
    X(TEXT_SAY_PASSKEY_KNOWN, "This authenticator already has a passkey of yours.",                                                \
      "Auf diesem Authenticator ist bereits ein Passkey von Ihnen.")                                                               \
    X(TEXT_FAULT_CONFIRM, "Confirm with your passkey first, then repeat this step.",                                               \
      "Bitte zuerst mit dem Passkey bestätigen und dann diesen Schritt wiederholen.")                                              \
    X(TEXT_FAULT_PASSKEY, "The passkey was not accepted. Reload the page and try again.",                                          \
      "Der Passkey wurde nicht akzeptiert. Bitte die Seite neu laden und noch einmal versuchen.")                                  \
    X(TEXT_FAULT_PASSKEY_COPY, "The passkey's counter went back: there may be a copy of it. The attempt is recorded.",             \
      "Der Zähler des Passkeys ist zurückgesprungen: Möglicherweise gibt es eine Kopie. Der Versuch ist protokolliert.")           \
    X(TEXT_FAULT_PASSKEY_SESSION, "Sign out and sign in again, then register the passkey.",                                        \
      "Bitte ab- und neu anmelden und dann den Passkey registrieren.")                                                             \
    X(TEXT_FAULT_PASSKEY_NAME, "Enter a name of 1 to 64 bytes, without secrets.",                                                  \
      "Bitte einen Namen von 1 bis 64 Byte angeben, ohne Geheimnisse.")                                                            \
    X(TEXT_FAULT_PASSKEY_MANY, "You have the maximum number of passkeys, or this one is registered already.",                      \
      "Sie haben die Höchstzahl an Passkeys, oder dieser ist bereits registriert.")                                                \
    X(TEXT_FAULT_PASSKEY_LAST, "Passkeys are required: register another one before you remove the last.",                          \
      "Passkeys sind vorgeschrieben: Bitte einen weiteren registrieren, bevor Sie den letzten entfernen.")                         \
    X(TEXT_NOTICE_PASSKEY_ADDED, "Passkey registered.", "Passkey registriert.")                                                    \
    X(TEXT_NOTICE_PASSKEY_REMOVED, "Passkey removed.", "Passkey entfernt.")                                                        \
    X(TEXT_NOTICE_PASSKEYS_RESET, "Passkeys reset and recorded.", "Passkeys zurückgesetzt und protokolliert.")                     \
    X(TEXT_NOTICE_CONFIRMED, "Confirmed. Repeat the step now.", "Bestätigt. Wiederholen Sie jetzt den Schritt.")

#endif
