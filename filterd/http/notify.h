/* notify.h - notifies systemd of the service's state (sd_notify's protocol, one datagram). */
#ifndef FILTERD_HTTP_NOTIFY_H
#define FILTERD_HTTP_NOTIFY_H

/* Connects to $NOTIFY_SOCKET, so that later calls need no new socket. Without that variable all functions do nothing. */
void notify_open(void);
/* "READY=1", "STOPPING=1", "RELOADING=1\nMONOTONIC_USEC=…", "STATUS=…" */
void notify_send(const char *state);

#endif
