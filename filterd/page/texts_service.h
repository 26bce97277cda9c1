/* texts_service.h - texts of the screens about the service itself: agents, policies, exports, access, record. */
#ifndef FILTERD_PAGE_TEXTS_SERVICE_H
#define FILTERD_PAGE_TEXTS_SERVICE_H

#define TEXTS_SERVICE(X)                                                                                                           \
    X(TEXT_AGENTS, "Agents", "Agenten")                                                                                            \
    X(TEXT_POLICIES, "Policies", "Richtlinien")                                                                                    \
    X(TEXT_EXPORTS, "Exports", "Exporte")                                                                                          \
    X(TEXT_ACCESS, "Access", "Zugriffe")                                                                                           \
    X(TEXT_RECORD, "Record", "Protokoll")

#endif
