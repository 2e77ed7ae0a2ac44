package argocd

import (
	"bufio"
	"cmp"
	"context"
	"io"
	"net/http"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/internal/server/api"
	streams "github.com/causeway-gitops/causeway/internal/server/stream"
)

// Bounds of logs.
const (
	defaultTail = 1000
	maxTail     = 10_000
	// maxLine is where a longer line is parted.
	maxLine = 64 << 10
)

// entry is a line of a log.
type entry struct {
	Content string      `json:"content"`
	Time    metav1.Time `json:"timeStamp"`
	// Exact is the time as the container's runtime has it.
	Exact string `json:"timeStampStr,omitempty"`
	Last  bool   `json:"last"`
	Pod   string `json:"podName,omitempty"`
}

// pick is which lines are wanted.
type pick struct {
	pod   string
	since time.Time
	text  string
	not   bool
}

// logs streams the lines of a pod's container. Argo CD's policies have a
// resource of their own for them.
func (s *server) logs(c *call) (any, error) {
	q, p, err := c.logQuery()
	if err != nil {
		return nil, err
	}
	at, err := s.place(c)
	if err != nil {
		return nil, err
	}
	row, err := s.may(c, at, "logs", "get")
	if err != nil {
		return nil, err
	}
	app, err := s.cachedIn(c.Context(), at.key, row.Project)
	if err != nil {
		return nil, err
	}
	return s.slot(c, func(w http.ResponseWriter) {
		ctx, cancel := context.WithTimeout(c.Context(), streams.Life)
		defer cancel()
		from, err := s.Look.Logs(ctx, app, q)
		if err != nil {
			s.refuse(w, c.Request, looked(err))
			return
		}
		defer func() { _ = from.Close() }()
		p.pour(from, linesTo(w, c.Request))
	})
}

func (c *call) logQuery() (q api.LogQuery, p pick, err error) {
	var filter string
	for name, into := range map[string]*string{"podName": &q.Pod, "container": &q.Container, "namespace": &q.Namespace, "filter": &filter} {
		if *into, err = c.query.text(name); err != nil {
			return q, p, err
		}
	}
	if q.Pod = cmp.Or(c.PathValue("pod"), q.Pod); q.Pod == "" || q.Namespace == "" {
		return q, p, problemf(invalid, "the query needs podName and namespace")
	}
	if q.Follow, err = c.query.truth("follow", false); err != nil {
		return q, p, err
	}
	if q.Previous, err = c.query.truth("previous", false); err != nil {
		return q, p, err
	}
	if q.Tail, err = c.query.number("tailLines"); err != nil {
		return q, p, err
	}
	q.Tail = min(cmp.Or(q.Tail, defaultTail), maxTail)
	seconds, err := c.query.number("sinceSeconds")
	if seconds > 0 {
		p.since = time.Now().Add(-time.Duration(min(seconds, int64(maxSince/time.Second))) * time.Second)
	}
	p.pod = q.Pod
	p.text, p.not = strings.CutPrefix(filter, "!")
	return q, p, err
}

// maxSince is far enough back for any log.
const maxSince = 10 * 365 * 24 * time.Hour

// pour hands on the lines that are wanted, and says when they end.
func (p *pick) pour(from io.Reader, to *lines) {
	to.begin()
	r := bufio.NewReaderSize(from, maxLine)
	var at string
	for whole := true; ; {
		line, more, err := r.ReadLine()
		if err != nil {
			_ = to.put(entry{Last: true, Time: metav1.Now(), Pod: p.pod})
			return
		}
		text := string(line)
		if whole {
			at, text = timed(text)
		}
		whole = !more
		e := entry{Content: text, Exact: at, Pod: p.pod}
		if t, err := time.Parse(time.RFC3339Nano, at); err == nil {
			e.Time = metav1.NewTime(t)
		}
		if p.wants(&e) && to.put(e) != nil {
			return // the client has gone
		}
	}
}

// timed parts a line from the time before it.
func timed(line string) (at, text string) {
	first, rest, _ := strings.Cut(line, " ")
	if _, err := time.Parse(time.RFC3339Nano, first); err != nil {
		return "", line
	}
	return first, rest
}

func (p *pick) wants(e *entry) bool {
	if !p.since.IsZero() && !e.Time.IsZero() && e.Time.Time.Before(p.since) {
		return false
	}
	return p.text == "" || strings.Contains(e.Content, p.text) != p.not
}
