package get

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/server/api"
)

// TestOneOfSeveralLogsMayBeMissing: a container may be about to start, and the others are what is looked for.
func TestOneOfSeveralLogsMayBeMissing(t *testing.T) {
	starting, broken := errors.New("web-1 is\nwaiting to start"), errors.New("no such pod")
	cases := map[string]struct {
		reason   string
		several  bool
		previous bool
		looks    []error
		want     error
		warned   string
	}{
		"alone":          {"it is what was asked for", false, false, []error{starting}, starting, ""},
		"alone, before":  {"nothing was before", false, true, []error{starting}, starting, "warning: web-1 is waiting to start\n"},
		"one of two":     {"the other is shown", true, false, []error{starting, nil}, nil, "warning: web-1 is waiting to start\n"},
		"none":           {"the last of them tells why", true, false, []error{starting, broken}, broken, "warning: web-1 is waiting to start\nwarning: no such pod\n"},
		"ctrl-c":         {"that is no failure of any", true, false, []error{context.Canceled}, nil, ""},
		"ctrl-c, nested": {"in whatever words it comes", false, false, []error{fmt.Errorf("cannot read: %w", context.Canceled)}, nil, ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			var errs bytes.Buffer
			l, found := &logsFlags{Global: clitest.Global(t, &errs), previous: c.previous}, &findings{several: c.several}
			var ended error
			for _, look := range c.looks {
				ended = errors.Join(ended, l.unlessOthers(found, look))
			}
			if got := l.verdict(found, ended); !errors.Is(got, c.want) || (got == nil) != (c.want == nil) || errs.String() != c.warned {
				t.Errorf("%s: %v, and it warns %q", c.reason, got, errs.String())
			}
		})
	}
}

// TestAPodThatStartsHidesNoOther, at a hub.
func TestAPodThatStartsHidesNoOther(t *testing.T) {
	refusal := kubeRefusal(http.StatusBadRequest, metav1.StatusReasonBadRequest)
	d := podsHub(t, 2, map[string]any{"GET /api/v1/namespaces/shop/pods/web-0/log": refusal})
	clitest.Run(t, NewLogs, "shop", "-c", "web", "--kubeconfig", d).Says(t, "the other is shown", command.ExitFine, "warning: cannot read the log of web-0/web: ", "[web-1/web] web since")
	d = podsHub(t, 2, map[string]any{"GET /api/v1/namespaces/shop/pods/web-0/log": refusal, "GET /api/v1/namespaces/shop/pods/web-1/log": refusal})
	clitest.Run(t, NewLogs, "shop", "-c", "web", "--kubeconfig", d).Says(t, "there is no other", command.ExitFailed, "Error: cannot read the log of web-")
}

// TestContainersWhoseLogsAreRead: of those that prepare a pod nothing was before, unless they are named.
func TestContainersWhoseLogsAreRead(t *testing.T) {
	spec := corev1.PodSpec{InitContainers: []corev1.Container{{Name: "prepare"}}, Containers: []corev1.Container{{Name: "web"}, {Name: "proxy"}}}
	pods := []corev1.Pod{{ObjectMeta: metav1.ObjectMeta{Name: "a"}, Spec: spec}, {ObjectMeta: metav1.ObjectMeta{Name: "b"}, Spec: corev1.PodSpec{Containers: spec.Containers[:1]}}}
	cases := map[string]struct {
		reason string
		l      logsFlags
		want   string
	}{
		"all":              {"those that prepare come first, as they do", logsFlags{}, "a/prepare a/web a/proxy b/web"},
		"before":           {"they are seldom started again", logsFlags{previous: true}, "a/web a/proxy b/web"},
		"before, by name":  {"who names one means it", logsFlags{previous: true, container: "prepare"}, "a/prepare"},
		"one":              {"not each pod has it", logsFlags{container: "proxy"}, "a/proxy"},
		"part of its name": {"a name is a whole one", logsFlags{container: "we"}, ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, of := range c.l.containers(pods) {
				got = append(got, of.pod.Name+"/"+of.container)
			}
			if strings.Join(got, " ") != c.want {
				t.Errorf("%s: %q, want %q", c.reason, got, c.want)
			}
		})
	}
}

// TestPodsOfATree are those that are there, however deep, and none of another group.
func TestPodsOfATree(t *testing.T) {
	pod := func(group, name string, missing bool, below ...*api.Node) *api.Node {
		return &api.Node{Ref: api.Ref{Group: group, Kind: "Pod", Namespace: "shop", Name: name}, Missing: missing, Children: below}
	}
	set := &api.Node{Ref: api.Ref{Kind: "StatefulSet", Name: "db"}, Children: []*api.Node{pod("", "db-0", false), pod("", "db-1", true)}}
	var names []string
	for _, ref := range podsIn([]*api.Node{pod("", "alone", false), {Ref: api.Ref{Kind: "Postgres"}, Children: []*api.Node{set}}, pod("metrics.k8s.io", "alone", false)}) {
		names = append(names, ref.Name)
	}
	if want := []string{"alone", "db-0"}; !slices.Equal(names, want) {
		t.Errorf("got %v, want %v", names, want)
	}
}

// TestNoMoreLogsAreFollowedThanAServerGives, and who asked for more is told; read to their end are all.
func TestNoMoreLogsAreFollowedThanAServerGives(t *testing.T) {
	var all []string
	for i := range streams + 2 {
		all = append(all, fmt.Sprintf("c%02d", i))
	}
	d := logDesk(t, all...)
	got := clitest.Run(t, NewLogs, "shop", "-f", "--server", d.URL)
	got.Says(t, "the first are followed", command.ExitFine, "warning: of 18 containers the first 16 are followed", "[web-1/c15] ")
	if n := strings.Count(got.Out, "\n"); n != streams {
		t.Errorf("%d are followed", n)
	}
	if got = clitest.Run(t, NewLogs, "shop", "--server", d.URL); strings.Count(got.Out, "\n") != streams+2 || got.Errors != "" {
		t.Errorf("all have an end: %s%s", got.Out, got.Errors)
	}
}

// TestALogThatBreaksOff shows what came, also of its last line, and says so.
func TestALogThatBreaksOff(t *testing.T) {
	var out bytes.Buffer
	l, broken := &logsFlags{Global: clitest.Global(t, &out)}, errors.New("connection reset")
	err := l.pour(iotest.TimeoutReader(iotest.OneByteReader(strings.NewReader("a"))), "web-0", "app", &sync.Mutex{})
	if !errors.Is(err, iotest.ErrTimeout) || out.String() != "[web-0/app] a\n" {
		t.Errorf("got %v and %q", err, out.String())
	}
	out.Reset()
	if err := l.pour(iotest.ErrReader(broken), "web-0", "app", &sync.Mutex{}); !errors.Is(err, broken) || out.Len() > 0 {
		t.Errorf("nothing came: %v and %q", err, out.String())
	}
	if err := l.pour(strings.NewReader(""), "web-0", "app", &sync.Mutex{}); err != nil || out.Len() > 0 {
		t.Errorf("an empty log is no line: %v and %q", err, out.String())
	}
}

// TestLinesThatAreAskedFor: none is not all.
func TestLinesThatAreAskedFor(t *testing.T) {
	for tail, want := range map[int64]string{-1: "all", 0: "0", 7: "7"} {
		got := "all"
		if lines := (&logsFlags{tail: tail}).options("web").TailLines; lines != nil {
			got = strconv.FormatInt(*lines, 10)
		}
		if got != want {
			t.Errorf("--tail %d asks for %s lines, want %s", tail, got, want)
		}
	}
}
