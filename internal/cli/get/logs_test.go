package get

import (
	"encoding/json"
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

// owned is an object below another.
func owned(name, uid, kind, owner, ownerUID string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: "shop", Name: name, UID: types.UID(uid), OwnerReferences: []metav1.OwnerReference{{Kind: kind, Name: owner, UID: types.UID(ownerUID)}}}
}

// namesOfPods are the pods that are found, on a cluster with these workloads, for an application of these objects.
func namesOfPods(t *testing.T, routes map[string]any, objects ...v1alpha1.ResourceStatus) (string, error) {
	t.Helper()
	client, err := kubernetes.NewForConfig(&rest.Config{Host: clitest.NewDesk(t, workloads(routes)).URL, BearerToken: clitest.Token})
	if err != nil {
		t.Fatal(err)
	}
	app := clitest.Shop()
	for _, r := range objects {
		r.Namespace = "shop"
		app.Status.Resources = append(app.Status.Resources, r)
	}
	app.Status.Resources = append(app.Status.Resources, v1alpha1.ResourceStatus{Kind: "Namespace", Name: "shop"})
	pods, err := podsOf(t.Context(), client, app)
	var names []string
	for i := range pods {
		names = append(names, pods[i].Name)
	}
	return strings.Join(names, " "), err
}

// TestPodsOfAnApplication are those below its workloads: directly, or through a ReplicaSet or Job, and of its namespaces.
func TestPodsOfAnApplication(t *testing.T) {
	got, err := namesOfPods(t, map[string]any{
		"GET /apis/apps/v1/namespaces/shop/replicasets": appsv1.ReplicaSetList{Items: []appsv1.ReplicaSet{{ObjectMeta: owned("web-5", "rs", "Deployment", "web", "d")}, {ObjectMeta: owned("other-5", "rs2", "Deployment", "other", "d2")}}},
		"GET /apis/batch/v1/namespaces/shop/jobs":       batchv1.JobList{Items: []batchv1.Job{{ObjectMeta: owned("nightly-1", "job", "CronJob", "nightly", "c")}}},
		"GET /api/v1/namespaces/shop/pods": corev1.PodList{Items: []corev1.Pod{
			{ObjectMeta: owned("web-5-a", "1", "ReplicaSet", "web-5", "rs")}, {ObjectMeta: owned("other-5-a", "2", "ReplicaSet", "other-5", "rs2")}, {ObjectMeta: owned("db-0", "3", "StatefulSet", "db", "s")},
			{ObjectMeta: owned("nightly-1-a", "4", "Job", "nightly-1", "job")}, {ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "alone"}}, {ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "a-strangers"}},
		}},
	}, v1alpha1.ResourceStatus{Kind: "Deployment", Name: "web"}, v1alpha1.ResourceStatus{Kind: "StatefulSet", Name: "db"}, v1alpha1.ResourceStatus{Kind: "CronJob", Name: "nightly"}, v1alpha1.ResourceStatus{Kind: "Pod", Name: "alone"})
	if err != nil || got != "web-5-a db-0 nightly-1-a alone" {
		t.Errorf("got %s, %v", got, err)
	}
}

// TestPodsThatAnOperatorMakes are the application's as well: what Git has is above the workloads then.
func TestPodsThatAnOperatorMakes(t *testing.T) {
	pods := corev1.PodList{Items: []corev1.Pod{
		{ObjectMeta: owned("db-0", "1", "StatefulSet", "db", "s")}, {ObjectMeta: owned("agent-x", "2", "DaemonSet", "agent", "ds")}, {ObjectMeta: owned("api-5-a", "3", "ReplicaSet", "api-5", "rs")},
		{ObjectMeta: owned("dump-1-a", "4", "Job", "dump-1", "j")}, {ObjectMeta: owned("a-strangers-0", "5", "StatefulSet", "a-strangers", "s2")},
	}}
	routes := func() map[string]any {
		return map[string]any{
			"GET /apis/apps/v1/namespaces/shop/statefulsets": appsv1.StatefulSetList{Items: []appsv1.StatefulSet{{ObjectMeta: owned("db", "s", "Postgres", "db", "p")}, {ObjectMeta: owned("a-strangers", "s2", "Postgres", "a-strangers", "p2")}}},
			"GET /apis/apps/v1/namespaces/shop/daemonsets":   appsv1.DaemonSetList{Items: []appsv1.DaemonSet{{ObjectMeta: owned("agent", "ds", "Postgres", "db", "p")}}},
			"GET /apis/apps/v1/namespaces/shop/deployments":  appsv1.DeploymentList{Items: []appsv1.Deployment{{ObjectMeta: owned("api", "d", "Postgres", "db", "p")}}},
			"GET /apis/apps/v1/namespaces/shop/replicasets":  appsv1.ReplicaSetList{Items: []appsv1.ReplicaSet{{ObjectMeta: owned("api-5", "rs", "Deployment", "api", "d")}}},
			"GET /apis/batch/v1/namespaces/shop/cronjobs":    batchv1.CronJobList{Items: []batchv1.CronJob{{ObjectMeta: owned("dump", "c", "Postgres", "db", "p")}}},
			"GET /apis/batch/v1/namespaces/shop/jobs":        batchv1.JobList{Items: []batchv1.Job{{ObjectMeta: owned("dump-1", "j", "CronJob", "dump", "c")}}},
			"GET /api/v1/namespaces/shop/pods":               pods,
		}
	}
	postgres := v1alpha1.ResourceStatus{Group: "postgres.example.com", Kind: "Postgres", Name: "db"}
	if got, err := namesOfPods(t, routes(), postgres); err != nil || got != "db-0 agent-x api-5-a dump-1-a" {
		t.Errorf("got %s, %v", got, err)
	}
	for path, want := range map[string]string{"apps/v1/namespaces/shop/statefulsets": "agent-x api-5-a dump-1-a", "batch/v1/namespaces/shop/cronjobs": "db-0 agent-x api-5-a"} {
		closed := routes()
		closed["GET /apis/"+path] = kubeRefusal(http.StatusForbidden, metav1.StatusReasonForbidden)
		if got, err := namesOfPods(t, closed, postgres); err != nil || got != want {
			t.Errorf("who may not list %s sees the others: got %s, %v", path, got, err)
		}
		closed["GET /apis/"+path] = kubeRefusal(http.StatusBadRequest, metav1.StatusReasonBadRequest)
		if got, err := namesOfPods(t, closed, postgres); err == nil {
			t.Errorf("what cannot be read is no empty list: %s: %s", path, got)
		}
	}
}

// kubeRefusal is how an API server says no.
func kubeRefusal(code int32, reason metav1.StatusReason) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(int(code))
		_ = json.NewEncoder(w).Encode(metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusFailure, Code: code, Reason: reason, Message: "not so"})
	}
}

// TestLogOfTheEngine is that of the fleet's file, or its end.
func TestLogOfTheEngine(t *testing.T) {
	state, home := localFleet(t)
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
