package argocd

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/server/backpressure"
	streams "github.com/causeway-gitops/causeway/internal/server/stream"
	"github.com/causeway-gitops/causeway/internal/server/view"
)

// Bounds of streams.
const (
	maxStreams = 500
	// maxEach is how many one person has: a portal follows for many by one account.
	maxEach = 50
	// batch is how long changes are gathered.
	batch = 200 * time.Millisecond
)

// lines writes results one a line, or as server-sent events for browsers.
type lines struct {
	to     *streams.Writer
	prefix string
	suffix string
	// hold notes what waits for the reader; nil where nobody counts it.
	hold func(bytes int64) (release func())
}

func linesTo(w http.ResponseWriter, r *http.Request) *lines {
	l := &lines{to: streams.To(w), suffix: "\n"}
	l.hold = func(bytes int64) func() { return backpressure.Hold(r.Context(), bytes) }
	kind := "application/json"
	if strings.Contains(r.Header.Get("Accept"), "text/event-stream") {
		kind, l.prefix, l.suffix = "text/event-stream", "data: ", "\n\n"
	}
	header(w, kind)
	return l
}

// begin sends what there is, so that the reader knows that it has begun.
func (l *lines) begin() { _ = l.to.Flush() }

// beat is an empty line, which says nothing: it keeps proxies from closing the
// stream, and finds that the reader has gone.
func (l *lines) beat() error {
	if _, err := l.to.Write([]byte("\n")); err != nil {
		return err
	}
	return l.to.Flush()
}

func (l *lines) put(result any) error {
	text, err := json.Marshal(struct {
		Result any `json:"result"`
	}{result})
	if err != nil {
		return err
	}
	return l.write(text)
}

func (l *lines) write(text []byte) error {
	text = slices.Concat([]byte(l.prefix), text, []byte(l.suffix))
	if l.hold != nil {
		defer l.hold(int64(len(text)))()
	}
	if _, err := l.to.Write(text); err != nil {
		return err
	}
	l.begin()
	return nil
}

// change is one change of an Application.
type change struct {
	Type        string                `json:"type"`
	Application *v1alpha1.Application `json:"application"`
}

// following is one reader who follows Applications.
type following struct {
	server *server
	call   *call
	want   *wanted
	only   *fields
	out    *lines
	// told are those that the reader knows.
	told map[view.Key]bool
	// since is the version that was told last, or that the reader has read.
	since uint64
	// resumed tells that the reader has read a list; anew that all is to be told.
	resumed, anew bool
	began         time.Time
}

// watch tells of all Applications as they are, or, to who has read a list,
// what has changed since, and then goes on with changes.
func (s *server) watch(c *call) (any, error) {
	f := &following{server: s, call: c, told: map[view.Key]bool{}, began: time.Now().Truncate(time.Second)}
	var err error
	if f.want, err = c.wanted(); err != nil {
		return nil, err
	}
	if f.only, err = c.fields(); err != nil {
		return nil, err
	}
	f.only, _ = f.only.step("result")
	if err := s.reach.Known(c.Context()); err != nil {
		return nil, err
	}
	if at, err := strconv.ParseUint(strings.Join(c.query["resourceVersion"], ""), 10, 64); err == nil {
		f.since, f.resumed = s.Index.At(view.Moment(at))
	}
	f.anew = !f.resumed
	return s.slot(c, func(w http.ResponseWriter) {
		f.out = linesTo(w, c.Request)
		f.out.begin()
		f.run()
	})
}

// slot is a place for a stream that lasts.
func (s *server) slot(c *call, write stream) (any, error) {
	free, ok := s.streams.Take(auth.Asker(c.Context()))
	if !ok {
		return nil, &problem{code: exhausted, text: fmt.Sprintf("%d streams are open already, or %d of yours; end some, or try again later", maxStreams, maxEach), wait: streamsWait}
	}
	return stream(func(w http.ResponseWriter) {
		defer free()
		write(w)
	}), nil
}

func (f *following) run() {
	ctx, cancel := context.WithTimeout(f.call.Context(), streams.Life)
	defer cancel()
	for ctx.Err() == nil {
		bell := f.server.Index.Bell()
		visible, err := f.server.reach.Visible(ctx)
		if err != nil {
			return
		}
		d, known := f.server.Index.Since(f.since, visible)
		if f.anew || !known {
			d = f.all(visible)
			f.resumed, f.anew = false, false
		}
		f.since = d.Version
		if f.tell(ctx, d) != nil || !f.pause(ctx, bell) {
			return
		}
	}
}

// all is everything as if it had just changed.
func (f *following) all(visible func(*view.Row) bool) view.Delta {
	state := f.server.Index.Now()
	d := view.Delta{Version: state.Version}
	for _, r := range state.Rows {
		if visible(r) {
			d.Changed = append(d.Changed, r)
		}
	}
	return d
}

func (f *following) tell(ctx context.Context, d view.Delta) error {
	for _, r := range d.Changed {
		if !f.want.has(r) {
			continue
		}
		there, err := f.changed(ctx, r)
		if err != nil {
			return err
		}
		if !there {
			continue // it went in between
		}
		f.told[r.Key()] = true
	}
	for _, k := range d.Gone {
		if !f.told[k] && (!f.resumed || !f.want.named(k)) {
			continue // the reader does not know it
		}
		delete(f.told, k)
		gone := &v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Namespace: k.Namespace, Name: k.Name}}
		if err := f.put(change{"DELETED", gone}); err != nil {
			return err
		}
	}
	return nil
}

// kind of a change: to who has read a list, what is older than the stream is
// nothing new.
func (f *following) kind(r *view.Row) string {
	if f.told[r.Key()] || f.resumed && r.Created.Before(f.began) {
		return "MODIFIED"
	}
	return "ADDED"
}

// changed tells of an Application that is new or changed; false where it is gone.
func (f *following) changed(ctx context.Context, r *view.Row) (there bool, err error) {
	text := []byte(`{"result":{`)
	if _, wanted := f.only.step("type"); wanted {
		text = append(text, `"type":"`+f.kind(r)+`"`...)
	}
	if only, wanted := f.only.step("application"); wanted {
		app, err := f.server.followed(ctx, r, only)
		if err != nil || app == nil {
			return false, err
		}
		if !bytes.HasSuffix(text, []byte("{")) {
			text = append(text, ',')
		}
		text = append(append(text, `"application":`...), app...)
	}
	return true, f.out.write(append(text, "}}"...))
}

func (f *following) put(c change) error {
	shown, err := f.only.of(c)
	if err != nil {
		return err
	}
	return f.out.put(shown)
}

// pause waits for changes, and a little longer for more of them. It is false
// when the reader has gone.
func (f *following) pause(ctx context.Context, bell <-chan struct{}) bool {
	for rung := false; !rung; {
		select {
		case <-ctx.Done():
			return false
		case <-bell:
			rung = true
		case <-time.After(streams.Beat):
			if f.out.beat() != nil {
				return false
			}
		}
	}
	select {
	case <-ctx.Done():
		return false
	case <-time.After(batch):
		return true
	}
}
