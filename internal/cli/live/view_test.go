package live

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/causeway-gitops/causeway/internal/local/fleetstatus"
	"github.com/causeway-gitops/causeway/test/golden"
)

var start = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

func starting() fleetstatus.Snapshot {
	return fleetstatus.Snapshot{
		Fleet: "example", Started: start, Step: "starting 3 clusters",
		Clusters: []fleetstatus.Cluster{
			{Name: "hub", Hub: true, State: fleetstatus.Ready, Took: 4800 * time.Millisecond, Server: "https://127.0.0.1:1"},
			{Name: "staging", State: fleetstatus.Starting, Since: start},
			{Name: "prod", State: fleetstatus.Waiting},
		},
	}
}

func app(name, cluster, sync, health string) fleetstatus.App {
	return fleetstatus.App{Name: name, Cluster: cluster, Sync: sync, Health: health, Phase: "Succeeded"}
}

func rolling() fleetstatus.Snapshot {
	s := starting()
	s.Watching, s.Step = true, "rolling out"
	for i := range s.Clusters {
		s.Clusters[i].State, s.Clusters[i].Took = fleetstatus.Ready, 6*time.Second
	}
	waiting := app("platform", "hub", "OutOfSync", "Progressing")
	waiting.Phase, waiting.Message = "Running", "waiting for argoproj.io/Application:argocd/ingress in wave -1: Deployment ingress/ingress is Progressing"
	waiting.Since = start
	broken := app("shop-prod", "prod", "Unknown", "Healthy")
	broken.Problem = "ComparisonError: cannot render chart: template: shop/templates/web.yaml:12:3: executing " +
		"\"shop/templates/web.yaml\" at <.Values.image.tag>: nil pointer evaluating interface {}.tag (https://git.example.com/shop at main charts/shop/templates/web.yaml:12); set image.tag in the values"
	manual := app("by-hand", "staging", "OutOfSync", "Missing")
	manual.Manual = true
	s.Apps = []fleetstatus.App{
		manual, app("cert-manager-prod", "prod", "Synced", "Healthy"), app("cert-manager-staging", "staging", "Synced", "Healthy"),
		app("elsewhere", "https://other:6443", "Synced", "Healthy"), waiting, broken,
	}
	s.Sets = []fleetstatus.Set{{Name: "addons", Problem: "cannot read cluster labels"}}
	return s
}

func done() fleetstatus.Snapshot {
	s := rolling()
	s.Apps = s.Apps[1:3]
	s.Sets = nil
	s.Healthy = start.Add(20 * time.Second)
	return s
}

func TestView(t *testing.T) {
	stopped := done()
	stopped.Step = fleetstatus.Stopped
	failed := starting()
	failed.Failure = "no room"
	failed.Clusters[1].State, failed.Clusters[1].Error = fleetstatus.Failed, "causeway-kube: exit status 1:\nerror: cannot listen on 127.0.0.1:6443: address already in use"
	tests := map[string]struct {
		s      fleetstatus.Snapshot
		width  int
		height int
	}{
		"starting": {s: starting()}, "rolling": {s: rolling()}, "done": {s: done()}, "stopped": {s: stopped}, "failed": {s: failed},
		"narrow": {s: rolling(), width: 60}, "low": {s: rolling(), height: 18},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			golden.Check(t, name+".txt", View(tc.s, Frame{Now: start.Add(12300 * time.Millisecond), Width: tc.width, Height: tc.height, Style: Plain()}))
		})
	}
}

func TestViewFitsTheTerminal(t *testing.T) {
	s := rolling()
	for i := range 500 {
		a := app(fmt.Sprintf("an-application-with-quite-a-long-name-%d", i), "prod", "Synced", "Degraded")
		a.Message = strings.Repeat("something is wrong ", 30)
		if i%3 == 0 {
			a.Problem = strings.Repeat("and it is bad ", 40)
		}
		s.Apps = append(s.Apps, a)
	}
	for _, height := range []int{20, 24, 40, 80} {
		for _, width := range []int{60, 80, 100, 250} {
			lines := strings.Split(View(s, Frame{Now: start, Width: width, Height: height, Style: Plain()}), "\n")
			if len(lines) > height {
				t.Errorf("%d×%d: %d lines", width, height, len(lines))
			}
			for _, line := range lines {
				if ansi.StringWidth(line) > min(width, widest) {
					t.Errorf("%d×%d: a line of %d columns: %q", width, height, ansi.StringWidth(line), line)
				}
			}
		}
	}
}

func TestLines(t *testing.T) {
	now := start.Add(61 * time.Second)
	all := []string{"# from nothing"}
	all = append(all, Lines(fleetstatus.Snapshot{}, starting(), now)...)
	all = append(all, "# to rolling out")
	all = append(all, Lines(starting(), rolling(), now)...)
	all = append(all, "# to done")
	all = append(all, Lines(rolling(), done(), now)...)
	all = append(all, "# and again")
	all = append(all, Lines(done(), done(), now)...)
	golden.Check(t, "lines.txt", strings.Join(all, "\n")+"\n")
}

func TestUnfinished(t *testing.T) {
	golden.Check(t, "unfinished.txt", Unfinished(rolling())+"\n")
	if got := Unfinished(starting()); !strings.Contains(got, "cluster prod is still starting") {
		t.Errorf("before the clusters are ready: %q", got)
	}
	if got := Unfinished(fleetstatus.Snapshot{}); !strings.Contains(got, "clusters are still starting") {
		t.Errorf("before anything is known: %q", got)
	}
	if got := Unfinished(fleetstatus.Snapshot{Clusters: []fleetstatus.Cluster{{Name: "hub", State: fleetstatus.Ready}}}); !strings.Contains(got, "nothing was generated") {
		t.Errorf("without applications: %q", got)
	}
}

func TestBrief(t *testing.T) {
	for message, want := range map[string]string{
		"": "", "Deployment shop/web: 0 of 1": "Deployment shop/web: 0 of 1",
		"waiting for argoproj.io/Application:argocd/web in wave -1: Progressing": "waiting for Application web in wave -1: Progressing",
		"waiting for batch/Job:shop/migrate in PreSync wave 0: 1 running":        "waiting for Job shop/migrate in PreSync wave 0: 1 running",
		"waiting for /Namespace:/shop in wave 0: x":                              "waiting for Namespace shop in wave 0: x",
	} {
		if got := brief(message); got != want {
			t.Errorf("%q becomes %q, not %q", message, got, want)
		}
	}
}

func TestSeconds(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-1: "0.0 s", 4849 * time.Millisecond: "4.8 s", 59 * time.Second: "59.0 s", 192 * time.Second: "3m12s", 3725 * time.Second: "1h02m",
	} {
		if got := Seconds(d); got != want {
			t.Errorf("%v is shown as %q, not %q", d, got, want)
		}
	}
}
