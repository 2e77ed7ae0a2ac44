package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/server/clusters"
	"github.com/causeway-gitops/causeway/internal/server/reach"
	"github.com/causeway-gitops/causeway/internal/server/view"
	"github.com/causeway-gitops/causeway/internal/store"
)

// Each route by everybody: nobody, who may read, who may write, and who has
// another project, for whom the Application is not there.
func TestRoutesByRights(t *testing.T) { knocks(t, routeKnocks()) }

func routeKnocks() map[string]knock {
	const app = "/applications/argocd/web-dev"
	object := "/object?kind=Service&objectName=web"
	reads := [4]int{401, 200, 200, 404}
	writes := [4]int{401, 403, 202, 404}
	own := [4]int{401, 200, 200, 200} // each sees what is theirs
	return map[string]knock{
		"session":       {"GET", "/session", "", [4]int{200, 200, 200, 200}},
		"sign in":       {"POST", "/session", `{"username":"reader","password":"right"}`, [4]int{200, 200, 200, 200}},
		"events":        {"GET", "/events", "", own},
		"list":          {"GET", "/applications", "", own},
		"fleet":         {"GET", "/fleet", "", own},
		"search":        {"GET", "/search?q=web", "", own},
		"search much":   {"GET", "/search?q=web&limit=51", "", [4]int{401, 422, 422, 422}},
		"environments":  {"GET", "/environments", "", own},
		"two of them":   {"GET", "/environments?from=dev&to=prod", "", own},
		"one of two":    {"GET", "/environments?from=dev", "", [4]int{401, 422, 422, 422}},
		"changes":       {"GET", "/changes", "", own},
		"one change":    {"GET", "/changes/aaaa/abc", "", [4]int{401, 200, 200, 200}},
		"others' one":   {"GET", "/changes/aaaa/secret", "", [4]int{401, 404, 404, 200}},
		"no change":     {"GET", "/changes/aaaa/none", "", [4]int{401, 404, 404, 404}},
		"no state":      {"GET", "/changes?state=odd", "", [4]int{401, 422, 422, 422}},
		"no place":      {"GET", "/changes?before=!!", "", [4]int{401, 422, 422, 422}},
		"between":       {"GET", "/environments/diff?product=argocd/shop/web&from=dev&to=prod", "", [4]int{401, 200, 200, 404}},
		"clusters":      {"GET", "/fleet/clusters", "", [4]int{401, 200, 200, 200}},
		"bridge":        {"GET", "/bridge", "", [4]int{401, 200, 200, 200}},
		"its cluster":   {"GET", "/bridge/dev", "", [4]int{401, 200, 200, 200}},
		"its facts":     {"GET", "/bridge/dev/facts", "", [4]int{401, 200, 200, 200}},
		"no facts":      {"GET", "/bridge/none/facts", "", [4]int{401, 404, 404, 404}},
		"no cluster":    {"GET", "/bridge/none", "", [4]int{401, 404, 404, 404}},
		"one key":       {"GET", "/bridge-key?in=label&name=region", "", [4]int{401, 200, 200, 200}},
		"its readers'":  {"GET", "/bridge-key?in=annotation&name=vpc", "", [4]int{401, 200, 200, 404}},
		"no key":        {"GET", "/bridge-key?in=label&name=none", "", [4]int{401, 404, 404, 404}},
		"what if":       {"POST", "/bridge/preview", `{"cluster":"dev","edits":[{"in":"label","name":"region","value":"us"}]}`, [4]int{401, 200, 200, 200}},
		"what if none":  {"POST", "/bridge/preview", `{"cluster":"none","edits":[{"in":"label","name":"region","value":"us"}]}`, [4]int{401, 404, 404, 404}},
		"no label":      {"POST", "/bridge/preview", `{"cluster":"dev","edits":[{"in":"label","name":"region","value":"u s"}]}`, [4]int{401, 422, 422, 422}},
		"the secret's":  {"POST", "/bridge/preview", `{"cluster":"dev","edits":[{"in":"label","name":"argocd.argoproj.io/secret-type","remove":true}]}`, [4]int{401, 422, 422, 422}},
		"no edits":      {"POST", "/bridge/preview", `{"cluster":"dev","edits":[]}`, [4]int{401, 422, 422, 422}},
		"nowhere":       {"GET", "/bridge-key?in=facts&name=none", "", [4]int{401, 422, 422, 422}},
		"sets":          {"GET", "/applicationsets", "", own},
		"projects":      {"GET", "/projects", "", own},
		"get":           {"GET", app, "", reads},
		"tree":          {"GET", app + "/tree", "", reads},
		"diff":          {"GET", app + "/diff", "", reads},
		"object":        {"GET", app + object, "", reads},
		"object events": {"GET", app + "/events", "", reads},
		"logs":          {"GET", app + "/logs?podNamespace=n&pod=p", "", reads},
		"terminal":      {"GET", app + "/terminal?podNamespace=n&pod=p", "", reads},
		"a shell":       {"GET", app + "/terminal/open?podNamespace=n&pod=p", "", [4]int{401, 403, 426, 404}},
		"no shell":      {"GET", app + "/terminal/open?podNamespace=n&pod=p&shell=perl", "", [4]int{401, 403, 422, 404}},
		"no pod":        {"GET", app + "/terminal/open", "", [4]int{401, 422, 422, 422}},
		"odd size":      {"GET", app + "/terminal/open?podNamespace=n&pod=p&cols=5000", "", [4]int{401, 422, 422, 422}},
		"parameters":    {"GET", app + "/parameters", "", reads},
		"their keys":    {"GET", app + "/parameters/keys", "", reads},
		"a field":       {"GET", app + "/field?object=Deployment/web&path=spec.replicas", "", reads},
		"no field":      {"GET", app + "/field?object=Deployment/web", "", [4]int{401, 422, 422, 422}},
		"windows":       {"GET", app + "/windows", "", reads},
		"orphans":       {"GET", app + "/orphans", "", reads},
		"actions":       {"GET", app + "/objects/actions?kind=Service&objectName=web", "", reads},
		"act":           {"POST", app + "/objects/actions?kind=Service&objectName=web", `{"action":"restart"}`, [4]int{401, 403, 200, 404}},
		"act on no one": {"POST", app + "/objects/actions", `{"action":"restart"}`, [4]int{401, 422, 422, 422}},
		"one set":       {"GET", "/applicationsets/argocd/webs", "", reads},
		"no set":        {"GET", "/applicationsets/argocd/none", "", [4]int{401, 404, 404, 404}},
		"refresh set":   {"POST", "/applicationsets/argocd/webs/refresh", "", [4]int{401, 202, 202, 404}},
		"syncs":         {"GET", app + "/history", "", reads},
		"one sync":      {"GET", app + "/history/1", "", reads},
		"compare":       {"GET", app + "/history/1/compare/1", "", reads},
		"others' sync":  {"GET", app + "/history/2", "", [4]int{401, 404, 404, 404}},
		"sync":          {"POST", app + "/sync", "{}", writes},
		"rollback":      {"POST", app + "/rollback", `{"sync":"1"}`, writes},
		"terminate":     {"POST", app + "/terminate", "", writes},
		"approve":       {"POST", app + "/approve", `{"digest":"abc"}`, writes},
		"approve all":   {"POST", app + "/approve", `{}`, [4]int{401, 422, 422, 422}},
		"approve ever":  {"POST", app + "/approve", `{"digest":"abc","minutes":100000}`, [4]int{401, 422, 422, 422}},
		"confirm":       {"POST", app + "/confirm", `{"digest":"abc"}`, writes},
		"pause set":     {"POST", "/applicationsets/argocd/webs/pause", "", writes},
		"resume set":    {"POST", "/applicationsets/argocd/webs/resume", "", writes},
		"approve set":   {"POST", "/applicationsets/argocd/webs/approve", `{"digest":"abc"}`, writes},
		"refresh":       {"POST", app + "/refresh", "", [4]int{401, 202, 202, 404}},
		"delete":        {"DELETE", app, "", writes},
		"sync several":  {"POST", "/applications/sync", `{"applications":[{"namespace":"argocd","name":"web-dev"}]}`, [4]int{401, 202, 202, 202}},
		"sync none":     {"POST", "/applications/sync", `{"applications":[]}`, [4]int{401, 422, 422, 422}},
		"look at many":  {"POST", "/applications/refresh", `{"applications":[{"namespace":"argocd","name":"web-dev"}]}`, [4]int{401, 202, 202, 202}},
		"operations":    {"GET", "/operations", "", own},
		"no operation":  {"GET", "/operations/none", "", [4]int{401, 404, 404, 404}},
		"end no one":    {"DELETE", "/operations/none", "", [4]int{401, 404, 404, 404}},
		"audit":         {"GET", "/audit", "", own},
		"export":        {"GET", "/audit/export", "", own},
		"audit's chain": {"GET", "/audit/verify", "", own},
		"rights":        {"GET", "/session/rights", "", own},
		"keys":          {"GET", "/keys", "", own},
		"make a key":    {"POST", "/keys", `{"name":"ci","scope":{"readOnly":true}}`, [4]int{401, 201, 201, 201}},
		"end a key":     {"DELETE", "/keys/readers", "", [4]int{401, 204, 404, 404}}, // it is gone when writer asks
		"audit's place": {"GET", "/audit/place", "", own},
		"accounts":      {"GET", "/accounts", "", own},
		"own password":  {"PUT", "/accounts/reader/password", `{"current":"right","password":"a new one"}`, [4]int{401, 200, 200, 403}},
		"no account":    {"PUT", "/accounts/none/password", `{"current":"right","password":"a new one"}`, [4]int{401, 404, 404, 404}},
		"no password":   {"PUT", "/accounts/reader/password", `{"current":"right"}`, [4]int{401, 422, 422, 422}},
		"end sessions":  {"DELETE", "/accounts/reader/sessions", "", [4]int{401, 204, 204, 403}},
		"end no one's":  {"DELETE", "/accounts/none/sessions", "", [4]int{401, 404, 404, 404}},
		"sign out":      {"DELETE", "/session", "", [4]int{204, 204, 204, 204}},
		"everywhere":    {"DELETE", "/session?everywhere=true", "", [4]int{204, 204, 204, 204}},
		"audit's time":  {"GET", "/audit?from=soon", "", [4]int{401, 422, 422, 422}},
		"unknown":       {"GET", "/applications/argocd/none", "", [4]int{401, 404, 404, 404}},
		"unknown query": {"GET", "/applications?colour=red", "", [4]int{401, 422, 422, 422}},
		"wrong query":   {"GET", "/applications?limit=99999", "", [4]int{401, 422, 422, 422}},
		"wrong body":    {"POST", app + "/sync", `{"colour":"red"}`, [4]int{401, 422, 422, 422}},
		"document":      {"GET", "/openapi.json", "", [4]int{200, 200, 200, 200}},
	}
}

// knock is a request, and its answer for nobody, reader, writer and other.
type knock struct {
	method, path, body string
	want               [4]int
}

func knocks(t *testing.T, cases map[string]knock) {
	t.Helper()
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			h := newWorld().handler()
			for i, user := range []string{"", "reader", "writer", "other"} {
				w := knockAs(t, h, user, &tc)
				if w.Code != tc.want[i] {
					t.Errorf("%q: %d, want %d: %s", user, w.Code, tc.want[i], w.Body)
				}
				if w.Code >= 400 && !strings.HasPrefix(w.Header().Get("Content-Type"), "application/problem+json") {
					t.Errorf("%q: the error is no problem document: %s", user, w.Header().Get("Content-Type"))
				}
			}
		})
	}
}

func knockAs(t *testing.T, h http.Handler, user string, k *knock) *httptest.ResponseRecorder {
	t.Helper()
	if k.path == "/events" { // it has no end of its own
		return request(t.Context(), h, user, k.method, k.path, "", nil)
	}
	return send(t, h, user, k.method, k.path, k.body)
}

// Who reads as many logs as one may gets no more of them until one ends;
// others do.
func TestLogsHavePlaces(t *testing.T) {
	world := newWorld()
	held := &held{begun: make(chan struct{}), end: make(chan struct{})}
	world.log = held
	h := world.handler()
	const path = "/applications/argocd/web-dev/logs?podNamespace=n&pod=p&follow=true"
	codes := make(chan int)
	read := func(user string) { codes <- send(t, h, user, "GET", path, "").Code }
	for range maxEach {
		go read("reader")
		<-held.begun
	}
	if w := send(t, h, "reader", "GET", path, ""); w.Code != http.StatusTooManyRequests || !strings.Contains(w.Body.String(), "close some") {
		t.Errorf("one more log: %d %s", w.Code, w.Body)
	}
	if w := send(t, h, "reader", "GET", "/audit/export", ""); w.Code != http.StatusTooManyRequests {
		t.Errorf("an export besides: %d", w.Code)
	}
	go read("writer")
	<-held.begun
	close(held.end)
	for range maxEach + 1 {
		if code := <-codes; code != http.StatusOK {
			t.Errorf("a log that was open: %d", code)
		}
	}
	world.log = strings.NewReader("")
	if w := send(t, h, "reader", "GET", path, ""); w.Code != http.StatusOK {
		t.Errorf("after their end: %d", w.Code)
	}
}

// held is a log that goes on until its end is told.
type held struct{ begun, end chan struct{} }

func (h *held) Read([]byte) (int, error) {
	h.begun <- struct{}{}
	<-h.end
	return 0, io.EOF
}

// lookAs takes places for somebody, as many as there are.
func lookAs(t *testing.T, looks *Looks, name string, want int) (ends []func()) {
	t.Helper()
	ctx := auth.With(t.Context(), &auth.User{Name: name})
	for range want {
		end, ok := looks.Begin(ctx)
		if !ok {
			t.Fatalf("%s has %d places, want %d", name, len(ends), want)
		}
		ends = append(ends, end)
	}
	gone, cancel := context.WithCancel(ctx)
	cancel()
	if _, ok := looks.Begin(gone); ok {
		t.Errorf("%s has more than %d places", name, want)
	}
	return ends
}

// Looks wait for their turn, and not for ever.
func TestLooksAreLimited(t *testing.T) {
	looks := NewLooks()
	var ends []func()
	for i := range looksAtOnce / looksEach {
		ends = append(ends, lookAs(t, looks, fmt.Sprint("reader ", i), looksEach)...)
	}
	lookAs(t, looks, "latecomer", 0)
	for _, end := range ends {
		end()
	}
	lookAs(t, looks, "latecomer", looksEach)
}

// Who looks at what does not answer waits alone: others have places, and the
// one that is free goes to who has none.
func TestLooksOfOnePerson(t *testing.T) {
	looks := NewLooks()
	lookAs(t, looks, "of a silent cluster", looksEach)
	for i := range looksAtOnce/looksEach - 1 {
		lookAs(t, looks, fmt.Sprint("reader ", i), looksEach)[0]()
	}
	lookAs(t, looks, "latecomer", looksAtOnce/looksEach-1)
}

// Strangers are one there, and not the engine, which has no part in what they use up.
func TestLooksOfStrangers(t *testing.T) {
	looks := NewLooks()
	gone, cancel := context.WithCancel(auth.Outside(t.Context()))
	cancel()
	for range looksEach {
		if _, ok := looks.Begin(gone); !ok {
			t.Fatal("strangers have fewer places than a person")
		}
	}
	if _, ok := looks.Begin(gone); ok {
		t.Error("strangers have more places than a person")
	}
	own, cancel := context.WithCancel(t.Context())
	cancel()
	if _, ok := looks.Begin(own); !ok {
		t.Error("the engine waits for strangers")
	}
}

func TestListIsOfOnesOwn(t *testing.T) {
	w := send(t, newWorld().handler(), "other", "GET", "/applications", "")
	var page view.Page
	if err := json.Unmarshal(w.Body.Bytes(), &page); err != nil {
		t.Fatal(err)
	}
	if page.Total != 1 || page.Items[0].Name != "dns" || len(page.Facets["project"]) != 1 {
		t.Errorf("got %s", w.Body)
	}
}

// A sync to another revision is a right of its own, in whatever way it is named.
func TestElsewhere(t *testing.T) {
	row := &view.Row{Sources: []view.Source{{Target: "main"}}}
	cases := map[string]struct {
		want Sync
		is   bool
	}{
		"none": {Sync{}, false}, "the spec's": {Sync{Revision: "main"}, false}, "another": {Sync{Revision: "evil"}, true},
		"the spec's, each": {Sync{Revisions: []string{"main"}}, false}, "another, each": {Sync{Revisions: []string{"evil"}}, true},
		"too many": {Sync{Revisions: []string{"main", "evil"}}, true}, "both ways": {Sync{Revision: "main", Revisions: []string{"evil"}}, true},
	}
	for name, tc := range cases {
		if got := tc.want.Elsewhere(row); got != tc.is {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// What nobody foresaw is in the log, and not in the answer.
func TestUnforeseen(t *testing.T) {
	var log bytes.Buffer
	w := &failing{newWorld()}
	h := New(Options{Index: w.index, Rights: w, Applications: w, Log: slog.New(slog.NewTextHandler(&log, nil))})
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, Prefix+"/applications", nil)
	answer := httptest.NewRecorder()
	h.ServeHTTP(answer, r.WithContext(auth.With(r.Context(), &auth.User{Name: "reader"})))
	if answer.Code != http.StatusInternalServerError || strings.Contains(answer.Body.String(), "hunter2") || !strings.Contains(log.String(), "hunter2") {
		t.Errorf("%d %s, log: %s", answer.Code, answer.Body, &log)
	}
}

type failing struct{ *world }

func (failing) Visible(context.Context, *auth.User) (func(*view.Row) bool, error) {
	return nil, errors.New("the password is hunter2")
}

// What is denied is told of, with what was wanted. What is read and what the Operator is asked to do is not told here.
func TestDenialsAreInTheAudit(t *testing.T) {
	world := newWorld()
	h := world.handler()
	send(t, h, "reader", "DELETE", "/applications/argocd/web-prod", "")
	send(t, h, "other", "GET", "/applications/argocd/web-prod/tree", "")
	send(t, h, "reader", "GET", "/applications/argocd/none", "")
	send(t, h, "reader", "GET", "/audit", "")
	want := []string{"reader denied delete applications shop web-prod", "other denied get applications shop web-prod"}
	if diff := cmp.Diff(want, world.book.lines()); diff != "" {
		t.Errorf("the audit (-want +got):\n%s", diff)
	}
}

func TestAuditInPages(t *testing.T) {
	world := newWorld()
	h := world.handler()
	for range 5 {
		send(t, h, "reader", "DELETE", "/applications/argocd/web-prod", "")
	}
	var seen []int64
	for before := ""; ; {
		var page AuditPage
		w := send(t, h, "reader", "GET", "/audit?limit=2"+before, "")
		if err := json.Unmarshal(w.Body.Bytes(), &page); err != nil {
			t.Fatal(err)
		}
		for _, e := range page.Items {
			seen = append(seen, e.Sequence)
		}
		if page.Next == 0 {
			break
		}
		before = "&before=" + strconv.FormatInt(page.Next, 10)
	}
	if diff := cmp.Diff([]int64{5, 4, 3, 2, 1}, seen); diff != "" {
		t.Errorf("the pages (-want +got):\n%s", diff)
	}
	w := send(t, h, "reader", "GET", "/audit/export?after=3", "")
	want := "{\"verb\":\"delete\"}\n{\"verb\":\"delete\"}\n{\"verb\":\"export\"}\n"
	if w.Body.String() != want || w.Header().Get("Content-Type") != "application/x-ndjson" {
		t.Errorf("the export is %s: %s", w.Header(), w.Body)
	}
}

// tearing is an audit that ends in the middle.
type tearing struct{ Auditor }

func (tearing) ExportAudit(_ context.Context, _ store.AuditQuery, line func([]byte) error) error {
	return errors.Join(line([]byte("{}")), errors.New("the disk is gone"))
}

// An export that ends early is cut off, so that nobody takes it for the whole,
// and the log says why.
func TestExportThatIsCutOff(t *testing.T) {
	var log strings.Builder
	w := newWorld()
	o := w.options()
	o.Audit, o.Log = tearing{o.Audit}, slog.New(slog.NewTextHandler(&log, nil))
	h := as(New(o))
	func() {
		defer func() {
			if recover() != http.ErrAbortHandler { //nolint:errorlint // the value that net/http looks for
				t.Error("the export is not cut off")
			}
		}()
		send(t, h, "reader", "GET", "/audit/export", "")
	}()
	if !strings.Contains(log.String(), "the disk is gone") {
		t.Errorf("the log does not say why: %q", &log)
	}
}

// readMatrix makes a matrix, and reads its JSON as a client does.
func readMatrix(t *testing.T, known []clusters.Health, rows []*view.Row) *Fleet {
	t.Helper()
	text, err := matrixOf(known, rows)
	out := &Fleet{}
	if err := errors.Join(err, json.Unmarshal(text, out)); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return out
}

// What is written without reflection reads as what was meant, whatever it is called.
func TestMatrixOfStrangeNames(t *testing.T) {
	strange := "a\"b\\c<é>\n\u2028" + string([]byte{0xff})
	row := &view.Row{Namespace: strange, Name: strange + "-x", Set: strange + "-x", Cluster: strange, Sync: "Synced", Health: "Healthy", Sources: []view.Source{{Revision: strange}}}
	f := readMatrix(t, []clusters.Health{{Name: strange}}, []*view.Row{row})
	plain := strings.ToValidUTF8(strange, "\ufffd") // as JSON has what is no text
	cell, is := f.Clusters[0].Cells[plain+"-x"]
	if want := (FleetCell{Key: view.Key{Namespace: plain, Name: plain + "-x"}, Version: plain, Sync: "Synced", Health: "Healthy"}); !is || cell != want {
		t.Errorf("got %+v of %+v, want %+v", cell, f.Clusters[0].Cells, want)
	}
}

func TestMatrix(t *testing.T) {
	world := newWorld()
	world.put("web-edge", "shop", "edge", "Synced", "Healthy")
	rows := world.index.Now().Rows
	known := []clusters.Health{{Name: "dev"}, {Name: "prod"}, {Name: "edge"}}
	f := readMatrix(t, known, rows)
	if len(f.Columns) != 2 || f.Columns[0].ID != "web" || f.Columns[0].Count != 3 {
		t.Fatalf("columns %+v", f.Columns)
	}
	if c := f.Clusters[1].Cells["web"]; c.Health != "Degraded" || c.Odd {
		t.Errorf("cell %+v", c)
	}
	odd := *rows[1]
	odd.Sources = []view.Source{{Revision: "def"}}
	f = readMatrix(t, known, append([]*view.Row{&odd}, rows[2:]...))
	cells := 0
	for _, c := range f.Clusters {
		if c.Cells["web"].Odd {
			cells++
		}
	}
	if cells != 1 {
		t.Errorf("%d cells stand out", cells)
	}
}

// The bridge names no set and no Application that somebody may not read, nor
// keys that only such a set asks for.
func TestBridge(t *testing.T) {
	h := newWorld().handler()
	var all BridgeOverview
	if err := json.Unmarshal(send(t, h, "reader", "GET", "/bridge", "").Body.Bytes(), &all); err != nil {
		t.Fatal(err)
	}
	if c := all.Clusters[0]; c.Keys != 2 || c.Unread != 1 || len(c.Missing) != 1 || c.Missing[0] != "vpc" {
		t.Errorf("got %+v", c)
	}
	keys := []BridgeFleetKey{
		{In: "label", Name: "region", Clusters: 1, Values: 1, Readers: []string{"webs"}}, {In: "label", Name: "spare", Clusters: 1, Values: 1, Readers: []string{}},
		{In: "annotation", Name: "vpc", Missing: 1, Readers: []string{"webs"}},
	}
	if d := cmp.Diff(keys, all.Keys); d != "" {
		t.Errorf("keys (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]string{"webs: no value"}, all.Failures); d != "" {
		t.Errorf("failures (-want +got):\n%s", d)
	}
	var one BridgeCluster
	if err := json.Unmarshal(send(t, h, "reader", "GET", "/bridge/dev", "").Body.Bytes(), &one); err != nil {
		t.Fatal(err)
	}
	if r := one.Keys[0].Readers; len(r) != 1 || r[0].Set != "webs" || len(one.Missing) != 1 {
		t.Fatalf("the reader sees %+v", one)
	}
	if apps := one.Keys[0].Readers[0].Applications; len(apps) != 1 || apps[0] != "web-dev" {
		t.Errorf("the reader sees %v", apps)
	}
}

// Facts are asked of the cluster whose page it is, by its Secret and server.
func TestFactsAreOfTheClusterThatIsNamed(t *testing.T) {
	w := newWorld()
	bridge, _ := w.Bridge(t.Context())
	bridge.Clusters = append(bridge.Clusters, BridgeCluster{Name: "dev", Secret: "second", Server: "https://second"})
	o := w.options()
	o.Bridge = &toldBridge{w, bridge}
	got := send(t, as(New(o)), "reader", "GET", "/bridge/second/facts", "").Body.String()
	if !strings.Contains(got, `"value":"of second at https://second"`) || !strings.Contains(got, `"source":"cluster"`) {
		t.Errorf("got %s", got)
	}
}

// A preview tells of no Application that somebody may not read, now or then.
func TestPreviewIsOfOnesOwn(t *testing.T) {
	const wish = `{"cluster":"dev","edits":[{"in":"annotation","name":"example.com/zone","value":"b c"}]}`
	w := send(t, newWorld().handler(), "reader", "POST", "/bridge/preview", wish)
	var got BridgePreview
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Applications) != 1 || got.Applications[0].Name != "new-shop" || got.Applications[0].Set != "webs" || len(got.Failures) != 0 {
		t.Errorf("got %s", w.Body)
	}
}

// What there is not yet is told to who may read the clusters that it would be made of:
// metadata of one's own may choose what is taken of another.
func TestPreviewIsOfOnesOwnClusters(t *testing.T) {
	known := []clusters.Health{{Name: "dev", Server: "https://dev", Project: "shop"}, {Name: "vault", Server: "https://vault", Project: "platform"}}
	cases := map[string]struct {
		reason, name string
		of           *gitops.Cluster
		now, then    bool
	}{
		"Own":     {"of one's own cluster", "new", &gitops.Cluster{Name: "dev", Server: "https://dev", Project: "shop"}, true, true},
		"Hidden":  {"of another one's nothing comes", "new", &gitops.Cluster{Name: "vault", Server: "https://vault", Project: "platform"}, false, false},
		"Several": {"nor of both", "new", nil, false, false},
		"Nowhere": {"nor of one that nobody could be asked about", "new", &gitops.Cluster{Name: "dev", Project: "shop"}, false, false},
		"There":   {"what there is may be read as it is, and not as it would be", "web-dev", nil, true, false},
		"Others":  {"unless it is another project's", "dns", &gitops.Cluster{Name: "dev", Server: "https://dev", Project: "shop"}, false, false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			w := newWorld()
			o := w.options()
			o.Clusters = func() []clusters.Health { return known }
			s := &server{Options: o, reach: reach.New(w, w.index, nil)}
			ctx := auth.With(t.Context(), &auth.User{Name: "reader", Via: auth.Local})
			visible, err := s.reach.Visible(ctx)
			if err != nil {
				t.Fatal(err)
			}
			app := &GeneratedApp{Name: tc.name, Project: "shop"}
			app.Whose(tc.of)
			may := s.maySuppose(ctx, s.sight(ctx, visible))
			if now, then := may.Now("argocd", app), may.Then("argocd", app); now != tc.now || then != tc.then {
				t.Errorf("%s: now %t, then %t", tc.reason, now, then)
			}
		})
	}
}

// What an Application is not itself rendered of is rendered for who may sync it to that,
// where it is and where it would be.
func TestPreviewRendersByRights(t *testing.T) {
	known := v1alpha1.ApplicationSource{RepoURL: "https://git.example.com/r", TargetRevision: "main"}
	evil := v1alpha1.ApplicationSource{RepoURL: "https://git.example.com/r", TargetRevision: "evil"}
	for reason, tc := range map[string]struct {
		who, name, project string
		source             v1alpha1.ApplicationSource
		want               bool
	}{
		"its own, for who may read it":                 {"reader", "web-dev", "shop", known, true},
		"another revision, for who may read it":        {"reader", "web-dev", "shop", evil, false},
		"another revision, for who may sync it to one": {"writer", "web-dev", "shop", evil, true},
		"what there is not yet":                        {"reader", "new", "shop", known, false},
		"what there is not yet, for who may sync it":   {"writer", "new", "shop", evil, true},
		"one that would leave a project of others":     {"writer", "dns", "shop", known, false},
		"one that would be of a project of others":     {"writer", "web-dev", "platform", known, false},
	} {
		w := newWorld()
		s := &server{Options: w.options(), reach: reach.New(w, w.index, nil)}
		ctx := auth.With(t.Context(), &auth.User{Name: tc.who, Via: auth.Local})
		app := &v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Name: tc.name}, Spec: v1alpha1.ApplicationSpec{Project: tc.project, Source: &tc.source}}
		if got := s.maySuppose(ctx, &sight{}).Objects("argocd", app); got != tc.want {
			t.Errorf("%s is rendered: %t", reason, got)
		}
	}
}

func TestDocument(t *testing.T) {
	text, err := Document()
	if err != nil || !strings.HasPrefix(string(text), "components:") && !strings.Contains(string(text), "openapi: 3.1.0") {
		t.Errorf("%v:\n%.200s", err, text)
	}
}

func FuzzList(f *testing.F) {
	h := newWorld().handler()
	f.Add("q=web&sort=-health&limit=5")
	f.Add("labels=a+in+(b)&offset=-1")
	f.Fuzz(func(t *testing.T, query string) {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, Prefix+"/applications", nil)
		r.URL.RawQuery = query
		r.Header.Set("X-Test-User", "reader")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code >= http.StatusInternalServerError {
			t.Errorf("%q: %d: %s", query, w.Code, w.Body)
		}
	})
}
