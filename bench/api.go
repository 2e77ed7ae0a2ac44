package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/causeway-gitops/causeway/internal/history"
	"github.com/causeway-gitops/causeway/internal/server/api"
	"github.com/causeway-gitops/causeway/internal/server/view"
)

// The size of the fleet whose lists are asked for, and who asks.
const (
	listedApps     = 10_000
	listedClusters = 500
	listReaders    = 50
	listFor        = 5 * time.Second
	// listPause is what a person leaves between two looks, at least.
	listPause = 500 * time.Millisecond
)

// page is what readers ask for: one of some addresses each time.
type page struct {
	name  string
	paths []string
}

// lists are what the page of applications asks for: the first page, a search as
// it is typed, filters, other orders, a page far down.
var lists = page{"applications", below("/applications?", []string{
	"limit=100", "q=we&limit=100", "q=web+prod&limit=100", "health=Degraded&limit=100", "sync=OutOfSync&health=Healthy&limit=100",
	"cluster=c00042&limit=100", "sort=-changed&limit=100", "sort=health&limit=100", "limit=100&offset=9000", "project=team-07&q=api&limit=100",
})}

// others are what the other pages ask for.
func others() []page {
	var apps, trees []string
	for i := range 100 {
		app := listedApp(i%20*listedClusters+i*20%listedClusters+5, 0) // of a team that readers see
		apps = append(apps, "/applications/argocd/"+app.Name)
		trees = append(trees, "/applications/argocd/"+app.Name+"/tree")
	}
	commit := "/changes/" + history.RepoID(listedRepo) + "/" + fmt.Sprintf("%040d", listedCommits-2)
	everywhere := "/changes/" + history.RepoID(listedRepo) + "/" + fmt.Sprintf("%040d", listedCommits-1)
	return []page{
		{"search of applications", below("/applications?limit=20&q=", []string{"w", "web", "web-04", "team-07 api", "c00123", "registry.example.com/team/db", "no-such-thing"})},
		{"search", below("/search?limit=6&q=", []string{"w", "web", "deployment/web-04", "team-07 api", "c00123", "raise limits", "key-24", "no-such-thing"})},
		{"application", apps},
		{"resource tree", trees},
		{"fleet matrix", []string{"/fleet"}},
		{"clusters", []string{"/fleet/clusters"}},
		{"environments", []string{"/environments?limit=100", "/environments?limit=100&offset=200", "/environments?q=web&limit=100", "/environments?differs=true&limit=100"}},
		{"changes", []string{"/changes?limit=25", "/changes?limit=25&state=failed", "/changes?limit=25&cluster=c00042"}},
		{"one commit of 500 applications", []string{commit}},
		{"one commit of 10,000 applications", []string{everywhere}},
		{"bridge", []string{"/bridge"}},
		{"bridge of a cluster", []string{"/bridge/c00042", "/bridge/c00123", "/bridge/c00400"}},
	}
}

func below(prefix string, all []string) []string {
	out := make([]string, 0, len(all))
	for _, one := range all {
		out = append(out, prefix+strings.ReplaceAll(one, " ", "+"))
	}
	return out
}

// api measures pages of a fleet that is held in memory: over HTTP, by the
// handler that the engine serves, for people whom a policy of many lines lets
// see a part of it. The CPU is that of one answer to one reader.
func (b *bench) api(ctx context.Context) error {
	out := newTable(fmt.Sprintf("the API: %d applications on %d clusters, %d readers", listedApps, listedClusters, listReaders))
	dir, err := os.MkdirTemp("", "causeway-bench-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	e, err := newEstate(ctx, dir)
	if err != nil {
		return err
	}
	defer func() { _ = e.close() }()
	handler := e.handler()
	empty := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("{}")) })
	measures := []reading{
		{"lists, each asks every half second", handler, lists, listPause, 0},
		{"  while 200 applications a second change", handler, lists, listPause, 200},
		{"lists, each asks again at once", handler, lists, 0, 0},
		{"  the same of a server that answers nothing", empty, lists, 0, 0},
	}
	for _, p := range others() {
		measures = append(measures, reading{p.name, handler, p, listPause, 0}, reading{"  while 200 applications a second change", handler, p, listPause, 200})
	}
	finish, err := b.profileSelf()
	if err != nil {
		return err
	}
	var first paces
	for i, m := range measures {
		one, err := alone(ctx, m)
		if err != nil {
			return err
		}
		took, err := b.read(ctx, m, func(inner context.Context) { change(inner, e.index, m.changes) })
		if err != nil {
			return err
		}
		took.one = one
		if i == 0 {
			first = took
		}
		out.row(append([]string{m.name}, took.beside(&first)...)...)
	}
	fmt.Print(out)
	return finish()
}

// reading is one measurement.
type reading struct {
	name    string
	handler http.Handler
	page    page
	pause   time.Duration
	changes int
}

// paces are how long answers took, and what CPU they cost.
type paces struct {
	all []time.Duration
	// one is the CPU of an answer where one reader asks, again and again.
	one time.Duration
}

// askedAlone is how often one reader asks.
const askedAlone = 40

// alone measures what the answers cost without the network, and without waiting
// for one another: the figure that survives a busy machine.
func alone(ctx context.Context, m reading) (time.Duration, error) {
	var begin time.Duration
	for i := range 2 * askedAlone {
		if i == askedAlone { // the first ones fill what is remembered
			begin = cpuTime()
		}
		r := httptest.NewRequestWithContext(ctx, http.MethodGet, api.Prefix+m.page.paths[i%len(m.page.paths)], nil)
		r.Header.Set(reader, "reader-0")
		r.Header.Set("Accept-Encoding", "gzip")
		w := httptest.NewRecorder()
		if m.handler.ServeHTTP(w, r); w.Code != http.StatusOK {
			return 0, fmt.Errorf("%s: %d %s", r.URL, w.Code, w.Body)
		}
	}
	return (cpuTime() - begin) / askedAlone, nil
}

// beside are the figures, as multiples of those of the lists.
func (t *paces) beside(lists *paces) []string {
	ratio := func(q float64) string {
		return fmt.Sprintf("%.1f×", quantile(t.all, q)/max(quantile(lists.all, q), 0.001))
	}
	ms := func(t *paces) float64 { return float64(t.one.Microseconds()) / 1000 }
	return []string{
		fmt.Sprintf("p50 %.1f ms", quantile(t.all, .5)), ratio(.5), fmt.Sprintf("p99 %.1f ms", quantile(t.all, .99)), ratio(.99),
		fmt.Sprintf("CPU %.2f ms", ms(t)), fmt.Sprintf("%.1f×", ms(t)/max(ms(lists), 0.001)), fmt.Sprintf("%.0f a second", float64(len(t.all))/listFor.Seconds()),
	}
}

// read lets readers ask for a while, and tells how long each answer took.
func (b *bench) read(ctx context.Context, m reading, meanwhile func(context.Context)) (out paces, err error) {
	server := httptest.NewServer(m.handler)
	defer server.Close()
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: listReaders, DialContext: (&net.Dialer{}).DialContext}}
	// The first time the policy is asked for each application: that is not what is measured, nor may it be in the way.
	for r := range listReaders {
		if _, err := ask(ctx, client, server.URL+api.Prefix+"/applications", "reader-"+strconv.Itoa(r)); err != nil {
			return out, err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, listFor)
	defer cancel()
	var mu sync.Mutex
	var failed error
	var readers sync.WaitGroup
	readers.Go(func() { meanwhile(ctx) })
	for r := range listReaders {
		readers.Go(func() {
			random := rand.New(rand.NewPCG(uint64(r), 1)) //nolint:gosec // the same readers at each run
			// They do not all begin at one instant, as people do not.
			wait(ctx, time.Duration(random.Int64N(int64(m.pause)+1)))
			for ctx.Err() == nil {
				took, err := ask(ctx, client, server.URL+api.Prefix+m.page.paths[random.IntN(len(m.page.paths))], "reader-"+strconv.Itoa(r))
				mu.Lock()
				if err == nil {
					out.all = append(out.all, took)
				} else if ctx.Err() == nil {
					failed = err
				}
				mu.Unlock()
				wait(ctx, m.pause/2+time.Duration(random.Int64N(int64(m.pause)+1)))
			}
		})
	}
	readers.Wait()
	return out, failed
}

func wait(ctx context.Context, d time.Duration) {
	if d == 0 {
		return
	}
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

func ask(ctx context.Context, c *http.Client, url, user string) (time.Duration, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0, err
	}
	r.Header.Set(reader, user)
	// Decompressed by itself alone, the reader would take CPU from the server.
	r.Header.Set("Accept-Encoding", "gzip")
	begin := time.Now()
	resp, err := c.Do(r)
	if err != nil {
		return 0, err
	}
	defer func() { _ = resp.Body.Close() }()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return 0, err
	}
	if resp.StatusCode != http.StatusOK {
		return 0, fmt.Errorf("%s: %s", url, resp.Status)
	}
	return time.Since(begin), nil
}

// changesMade counts the changes of all measurements: made again, one is none.
var changesMade atomic.Int64

// change changes so many rows a second until ctx ends.
func change(ctx context.Context, index *view.Index, perSecond int) {
	if perSecond == 0 {
		return
	}
	ticker := time.NewTicker(time.Second / time.Duration(perSecond))
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			i := int(changesMade.Add(1))
			n := i * 7919 % listedApps
			index.Put(view.RowOf(listedApp(n, i), listedCluster(n)))
		}
	}
}

func quantile(all []time.Duration, q float64) float64 {
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return float64(all[int(q*float64(len(all)-1))].Microseconds()) / 1000
}
