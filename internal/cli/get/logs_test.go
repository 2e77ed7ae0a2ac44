package get

import (
	"net/http"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/local"
	"github.com/causeway-gitops/causeway/internal/server/api"
)

// logDesk is a server with an application of one pod, whose log is what was asked for it.
func logDesk(t *testing.T, containers ...string) *clitest.Desk {
	t.Helper()
	pod := &api.Node{Ref: api.Ref{Version: "v1", Kind: "Pod", Namespace: "shop", Name: "web-1"}}
	return clitest.NewDesk(t, map[string]any{
		clitest.AppsRoute: clitest.Applications(clitest.Shop()), "GET " + ofShop + "/tree": api.Tree{Nodes: []*api.Node{{Ref: api.Ref{Kind: "ReplicaSet", Name: "web"}, Children: []*api.Node{pod}}}},
		"GET " + ofShop + "/object": api.Object{Containers: containers},
		"GET " + ofShop + "/logs": func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Query().Get("previous") == "true" && r.URL.Query().Get("container") != "web" {
				http.Error(w, `{"detail":"no container was there before"}`, http.StatusBadRequest)
				return
			}
			_, _ = w.Write([]byte("tail " + r.URL.Query().Get("tail") + ", previous " + r.URL.Query().Get("previous") + "\n"))
		},
	})
}

// TestLogsOfAServer: of all containers or of one, so many lines, and of before where one was started again.
func TestLogsOfAServer(t *testing.T) {
	cases := map[string]struct {
		reason, args string
		code         int
		want         []string
		not          string
	}{
		"all":          {"as many lines as a server gives", "", command.ExitFine, []string{"[web-1/calm] tail 10000, previous false\n", "[web-1/web] tail 10000, previous false\n"}, ""},
		"one":          {"of one container", "-c web", command.ExitFine, []string{"[web-1/web] tail"}, "calm"},
		"tail":         {"so many", "-c web --tail 7", command.ExitFine, []string{"[web-1/web] tail 7, "}, ""},
		"nothing":      {"a server gives one line at least, which nobody asked for", "-c web --tail 0", command.ExitFine, nil, "[web-1"},
		"to follow":    {"what comes is told: with the line before it, as the server has it", "-c web --tail 0 -f", command.ExitFine, []string{"[web-1/web] tail 1, "}, ""},
		"too many":     {"no more than a server gives", "-c web --tail 20000", command.ExitFine, []string{"tail 10000, "}, ""},
		"before":       {"most were never started again: others are shown", "-p", command.ExitFine, []string{"[web-1/web] tail 10000, previous true\n", "warning: cannot read the log of web-1/calm"}, ""},
		"never":        {"but none at all is an error", "-p -c calm", command.ExitFailed, []string{"no container was there before"}, ""},
		"no container": {"a misspelt one is told", "-c wbe", command.ExitFailed, []string{`no pod has the container "wbe"`}, "[web-1"},
		"pod":          {"a pod by its name", "--pod shop/web-1 -c web", command.ExitFine, []string{"[web-1/web]"}, ""},
		"no pod":       {"one that is not there", "--pod web-2", command.ExitFailed, []string{"application shop has no pod web-2 that the server knows"}, ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			d := logDesk(t, "calm", "web")
			got := clitest.Run(t, NewLogs, append(append([]string{"shop"}, strings.Fields(c.args)...), "--server", d.URL)...)
			got.Says(t, c.reason, c.code, c.want...)
			if c.not != "" && strings.Contains(got.Out, c.not) {
				t.Errorf("%s: it prints\n%s", c.reason, got.Out)
			}
		})
	}
}

// TestPodsOfAnApplication are those below its workloads: directly, or through a ReplicaSet or Job, and of its namespaces.
func TestPodsOfAnApplication(t *testing.T) {
	owned := func(name, uid, kind, owner, ownerUID string) metav1.ObjectMeta {
		return metav1.ObjectMeta{Namespace: "shop", Name: name, UID: types.UID(uid), OwnerReferences: []metav1.OwnerReference{{Kind: kind, Name: owner, UID: types.UID(ownerUID)}}}
	}
	d := clitest.NewDesk(t, map[string]any{
		"GET /apis/apps/v1/namespaces/shop/replicasets": appsv1.ReplicaSetList{Items: []appsv1.ReplicaSet{{ObjectMeta: owned("web-5", "rs", "Deployment", "web", "d")}, {ObjectMeta: owned("other-5", "rs2", "Deployment", "other", "d2")}}},
		"GET /apis/batch/v1/namespaces/shop/jobs":       batchv1.JobList{Items: []batchv1.Job{{ObjectMeta: owned("nightly-1", "job", "CronJob", "nightly", "c")}}},
		"GET /api/v1/namespaces/shop/pods": corev1.PodList{Items: []corev1.Pod{
			{ObjectMeta: owned("web-5-a", "1", "ReplicaSet", "web-5", "rs")}, {ObjectMeta: owned("other-5-a", "2", "ReplicaSet", "other-5", "rs2")}, {ObjectMeta: owned("db-0", "3", "StatefulSet", "db", "s")},
			{ObjectMeta: owned("nightly-1-a", "4", "Job", "nightly-1", "job")}, {ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "alone"}}, {ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "a-strangers"}},
		}},
	})
	client, err := kubernetes.NewForConfig(&rest.Config{Host: d.URL, BearerToken: clitest.Token})
	if err != nil {
		t.Fatal(err)
	}
	app := clitest.Shop()
	for _, r := range []v1alpha1.ResourceStatus{{Kind: "Deployment", Name: "web"}, {Kind: "StatefulSet", Name: "db"}, {Kind: "CronJob", Name: "nightly"}, {Kind: "Pod", Name: "alone"}} {
		r.Namespace = "shop"
		app.Status.Resources = append(app.Status.Resources, r)
	}
	app.Status.Resources = append(app.Status.Resources, v1alpha1.ResourceStatus{Kind: "Namespace", Name: "shop"})
	pods, err := podsOf(t.Context(), client, app)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for i := range pods {
		names = append(names, pods[i].Name)
	}
	if got := strings.Join(names, " "); got != "web-5-a db-0 nightly-1-a alone" {
		t.Errorf("got %s", got)
	}
}

// TestLogOfTheEngine is that of the fleet's file, or its end.
func TestLogOfTheEngine(t *testing.T) {
	state := t.TempDir()
	home, err := local.HomeOf(state, "f")
	if err != nil {
		t.Fatal(err)
	}
	lock, err := home.Lock()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = lock.Release() })
	run := func(args ...string) clitest.Left {
		return clitest.Run(t, NewLogs, append([]string{"--engine", "--state-dir", state}, args...)...)
	}
	run().Says(t, "it has none yet", command.ExitFailed, "cannot read the log of fleet f: ")
	if err := local.WriteFile(home.Log(), []byte("one\ntwo\nthree\n")); err != nil {
		t.Fatal(err)
	}
	for want, args := range map[string][]string{"one\ntwo\nthree\n": nil, "two\nthree\n": {"--tail", "2"}, "": {"--tail", "0"}} {
		if got := run(args...); got.Code != command.ExitFine || got.Out != want {
			t.Errorf("%v: %d %q, want %q", args, got.Code, got.Out, want)
		}
	}
}

// TestLogsOfAMomentAgo: an API server counts in whole seconds, and refuses none.
func TestLogsOfAMomentAgo(t *testing.T) {
	for since, want := range map[string]int64{"500ms": 1, "1s": 1, "1500ms": 2, "5m": 300} {
		length, err := time.ParseDuration(since)
		if err != nil {
			t.Fatal(err)
		}
		l := &logsFlags{tail: -1, since: length}
		if got := l.options("web").SinceSeconds; got == nil || *got != want {
			t.Errorf("--since %s asks for %v", since, got)
		}
	}
}
