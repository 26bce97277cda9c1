// tap.mjs - stands on the wire between one client and the proxy and keeps every byte that the
// client received. One tap for each case, so that no case's bytes are taken for another's.
import net from 'node:net';

export async function openTap(target) {
    const chunks = [];
    let last = 0,
        gap = 0; // milliseconds between two reads
    const sockets = new Set();
    const server = net.createServer(client => {
        const upstream = net.connect(target.port, target.host);
        for (const [from, to] of [
            [client, upstream],
            [upstream, client],
        ]) {
            sockets.add(from);
            from.setNoDelay(true);
            from.on('error', () => to.destroy());
            from.on('close', () => {
                sockets.delete(from);
                to.destroySoon();
            });
        }
        upstream.on('data', chunk => {
            const now = performance.now();
            gap = last ? Math.max(gap, now - last) : 0;
            last = now;
            chunks.push(chunk);
            client.write(chunk);
        });
        client.on('data', chunk => upstream.write(chunk));
        client.on('end', () => upstream.end());
        upstream.on('end', () => client.end());
    });
    await new Promise(resolve => server.listen(0, '127.0.0.1', resolve));
    return {
        port: server.address().port,
        longestGap: () => gap,
        bytes: () => Buffer.concat(chunks),
        close: () => {
            server.close();
            sockets.forEach(socket => socket.destroy());
        },
    };
}
