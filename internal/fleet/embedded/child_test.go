package embedded

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestWhatAChildIsTold: what nobody set is for the child to choose, such as the port of
// its last start.
func TestWhatAChildIsTold(t *testing.T) {
	for name, tc := range map[string]struct {
		reason  string
		options Options
		want    []string
	}{
		"Nothing": {"it has a name, a kubeconfig and a parent", Options{}, []string{"--kubeconfig-out=k", "--name=causeway", "--parent-fd=3"}},
		"All": {
			"what is set is passed on",
			Options{Name: "dev", DataDir: "d", LogFile: "l", AuditLog: "a", Nodes: 2, Port: 1, ReadyWithin: time.Minute, StopWithin: time.Second, APIOnly: true},
			[]string{
				"--api-only", "--audit-log=a", "--data-dir=d", "--kubeconfig-out=k", "--log-file=l", "--name=dev", "--nodes=2", "--parent-fd=3",
				"--port=1", "--ready-within=1m0s", "--stop-within=1s",
			},
		},
		"Odd": {"what cannot be is the child's to refuse, but for times", Options{Nodes: -1, Port: -2, ReadyWithin: -1}, []string{"--kubeconfig-out=k", "--name=causeway", "--nodes=-1", "--parent-fd=3", "--port=-2"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := (&Cluster{options: tc.options, kubeconfig: "k"}).arguments()
			slices.Sort(got)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s: -want +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestSettingsOfAPersonAreNotAChilds: they are for one that a person starts, and would
// give all children one port.
func TestSettingsOfAPersonAreNotAChilds(t *testing.T) {
	got := environment([]string{"CAUSEWAY_KUBE=/bin/x", "CAUSEWAY_KUBE_PORT=1", "CAUSEWAY_KUBE_=", "PATH=/bin", "X=CAUSEWAY_KUBE_PORT=1"})
	if diff := cmp.Diff([]string{"CAUSEWAY_KUBE=/bin/x", "PATH=/bin", "X=CAUSEWAY_KUBE_PORT=1"}, got); diff != "" {
		t.Error(diff)
	}
}

// TestWhenAChildIsReady: it may print anything, before and after.
func TestWhenAChildIsReady(t *testing.T) {
	for name, tc := range map[string]struct {
		reason, output string
		want           bool
	}{
		"Ready":   {"it says so", "starting\nready: https://127.0.0.1:1\n", true},
		"Twice":   {"once is enough", "ready: a\nready: b\n", true},
		"Never":   {"it ends before", "starting\n", false},
		"Within":  {"a line that only has the word", "not ready: waiting\nalready: x\n", false},
		"OneLine": {"a line that is not over counts", "ready: a", true},
		"Long":    {"a line that nobody reads does not hold it up", "ready: a\n" + strings.Repeat("x", 1<<20), true},
	} {
		t.Run(name, func(t *testing.T) {
			output, ready := strings.NewReader(tc.output), make(chan struct{})
			awaitReady(output, ready)
			told := false
			select {
			case <-ready:
				told = true
			default:
			}
			if told != tc.want || output.Len() > 0 {
				t.Errorf("%s: ready is %v, and %d bytes are not read", tc.reason, told, output.Len())
			}
		})
	}
}

// TestLastWords are the end of what a child says, which tells why it ended.
func TestLastWords(t *testing.T) {
	words := &tail{}
	for _, part := range []string{"  first\n", strings.Repeat("x", 3*tailBytes), strings.Repeat("y", tailBytes-6), "\nlast\n\n"} {
		if n, err := words.Write([]byte(part)); n != len(part) || err != nil {
			t.Fatalf("the child hears of it: %d, %v", n, err)
		}
	}
	got := describe(errors.New("exit status 1"), words).Error()
	if !strings.HasPrefix(got, "causeway-kube: exit status 1:\nyyy") || !strings.HasSuffix(got, "y\nlast") || len(got) > 2*tailBytes {
		t.Errorf("%d bytes: %.60s … %s", len(got), got, got[len(got)-10:])
	}
	if got := describe(errors.New("signal: killed"), &tail{}); got.Error() != "causeway-kube: signal: killed" {
		t.Errorf("without any: %v", got)
	}
	if describe(nil, words) != nil {
		t.Error("a good end has an error")
	}
	c := &Cluster{}
	if got := c.exitOr(&tail{}); !strings.Contains(got.Error(), "not ready by then") {
		t.Errorf("a child that said nothing: %v", got)
	}
	if got := c.exitOr(words); !strings.Contains(got.Error(), "last") {
		t.Errorf("a child that said something: %v", got)
	}
	c.exit = errors.New("its end")
	if got := c.exitOr(words); !errors.Is(got, c.exit) {
		t.Errorf("a child that ended: %v", got)
	}
}
