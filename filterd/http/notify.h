/* notify.h - tells systemd how the service is doing (sd_notify's protocol, one datagram). */
#ifndef FILTERD_HTTP_NOTIFY_H
#define FILTERD_HTTP_NOTIFY_H

/* Opens the way to $NOTIFY_SOCKET; later calls need no new socket. Without it all do nothing. */
void notify_open(void);
/* "READY=1", "STOPPING=1", "RELOADING=1\nMONOTONIC_USEC=…", "STATUS=…" */
void notify_send(const char *state);

#endif
