// verify BASE: reads a log over HTTP and verifies all of it with filippo.io/torchwood: policy, checkpoints, every entry, proofs.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"filippo.io/torchwood"
	"golang.org/x/mod/sumdb/tlog"
)

func must(err error, what string) {
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", what, err)
		os.Exit(1)
	}
}

func fetch(url string) []byte {
	r, err := http.Get(url)
	must(err, url)
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	must(err, url)
	if r.StatusCode != http.StatusOK {
		must(fmt.Errorf("status %d: %s", r.StatusCode, body), url)
	}
	return body
}

func main() {
	base := strings.TrimSuffix(os.Args[1], "/")
	policyText := fetch(base + "/record/policy")
	policy, err := torchwood.ParsePolicy(policyText)
	must(err, "policy")
	checkpoint, n, err := torchwood.VerifyCheckpoint(fetch(base+"/record/cosigned"), policy)
	must(err, "cosigned checkpoint")
	if len(n.Sigs) < 2 {
		must(errors.New("the log's signature and a cosignature expected"), "cosigned checkpoint")
	}
	fetcher, err := torchwood.NewTileFetcher(base + "/record")
	must(err, "tiles")
	client, err := torchwood.NewClient(fetcher)
	must(err, "client")
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	entries := int64(0)
	for i, entry := range client.AllEntries(ctx, checkpoint.Tree, 0) {
		if i != entries || !strings.HasPrefix(string(entry), fmt.Sprintf(`{"seq":%d,`, i+1)) {
			must(fmt.Errorf("entry %d is another line", i), "entries")
		}
		entries++
	}
	must(client.Err(), "entries")
	if entries != checkpoint.N {
		must(fmt.Errorf("%d of %d", entries, checkpoint.N), "entries")
	}
	for _, i := range []int64{0, 1, checkpoint.N / 2, checkpoint.N - 1} {
		entry, _, err := client.Entry(ctx, checkpoint.Tree, i)
		must(err, "entry")
		proof := fetch(fmt.Sprintf("%s/records/%d/proof", base, i+1))
		must(torchwood.VerifyProof(policy, tlog.RecordHash(entry), proof), "proof")
		if torchwood.VerifyProof(policy, tlog.RecordHash(append(entry, ' ')), proof) == nil {
			must(errors.New("it proves another line, too"), "proof")
		}
		extra, err := torchwood.ProofExtraData(proof)
		must(err, "extra data")
		if string(extra) != string(entry) {
			must(errors.New("it is not the line"), "extra data")
		}
	}
	fmt.Println(checkpoint.N)
}
