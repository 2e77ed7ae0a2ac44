package get

import (
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// podsHub is a hub with an application of so many pods on itself, and other routes; each pod has a container that prepares.
func podsHub(t *testing.T, n int, more map[string]any) (kubeconfig string) {
	t.Helper()
	app := clitest.Shop()
	app.Spec.Destination = v1alpha1.ApplicationDestination{Server: gitops.HubServer}
	pods := corev1.PodList{}
	for i := range n {
		name := fmt.Sprintf("web-%d", i)
		app.Status.Resources = append(app.Status.Resources, v1alpha1.ResourceStatus{Kind: "Pod", Namespace: "shop", Name: name})
		pods.Items = append(pods.Items, corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name},
			Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "web"}}, InitContainers: []corev1.Container{{Name: "prepare"}}},
		})
	}
	routes := workloads(map[string]any{
		"GET /apis/argoproj.io/v1alpha1/namespaces/argocd/applications/shop": app, "GET /api/v1/namespaces/argocd/secrets": corev1.SecretList{}, "GET /api/v1/namespaces/argocd/configmaps/{name}": corev1.ConfigMap{},
		"GET /api/v1/namespaces/shop/pods": pods,
		"GET /api/v1/namespaces/shop/pods/{pod}/log": func(w http.ResponseWriter, r *http.Request) {
			_, _ = fmt.Fprintf(w, "%s since %s\n", r.URL.Query().Get("container"), r.URL.Query().Get("sinceSeconds"))
		},
	})
	maps.Copy(routes, more)
	return clitest.NewDesk(t, routes).Kubeconfig(t)
}

// workloads are routes of a cluster that has no other workloads than those.
func workloads(routes map[string]any) map[string]any {
	for route, none := range map[string]any{
		"apps/v1/namespaces/shop/deployments": appsv1.DeploymentList{}, "apps/v1/namespaces/shop/statefulsets": appsv1.StatefulSetList{}, "apps/v1/namespaces/shop/daemonsets": appsv1.DaemonSetList{},
		"apps/v1/namespaces/shop/replicasets": appsv1.ReplicaSetList{}, "batch/v1/namespaces/shop/cronjobs": batchv1.CronJobList{}, "batch/v1/namespaces/shop/jobs": batchv1.JobList{},
	} {
		if _, there := routes["GET /apis/"+route]; !there {
			routes["GET /apis/"+route] = none
		}
	}
	return routes
}

// TestLogsOfAHub are those of all containers, also of those that prepare a pod: where it does not start, they say why.
func TestLogsOfAHub(t *testing.T) {
	cases := map[string]struct {
		reason, args string
		code         int
		want         []string
		not          string
	}{
		"all":     {"as by way of a server", "", command.ExitFine, []string{"[web-0/web] web since \n", "[web-0/prepare] prepare since \n", "[web-1/web]"}, ""},
		"prepare": {"one that prepares can be named", "-c prepare", command.ExitFine, []string{"[web-0/prepare] ", "[web-1/prepare] "}, "/web]"},
		"pod":     {"of one pod", "--pod web-1 -c web", command.ExitFine, []string{"[web-1/web] "}, "web-0"},
		"since":   {"whole seconds are asked for", "--since 1500ms --pod shop/web-0", command.ExitFine, []string{"web since 2\n"}, "web-1"},
		"no one":  {"a misspelt one is told", "-c wbe", command.ExitFailed, []string{`no pod has the container "wbe"`}, "[web"},
		"no pod":  {"one that is not there", "--pod web-7", command.ExitFailed, []string{"application shop has no pod web-7 on cluster in-cluster"}, "[web"},
		"none":    {"none at all are below it", "-n argocd", command.ExitFailed, []string{"application shop has no pods on cluster in-cluster"}, "[web"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			n := 2
			if name == "none" {
				n = 0
			}
			got := clitest.Run(t, NewLogs, append(strings.Fields(c.args), "shop", "--kubeconfig", podsHub(t, n, nil))...)
			got.Says(t, c.reason, c.code, c.want...)
			if c.not != "" && strings.Contains(got.Out, c.not) {
				t.Errorf("%s: it prints\n%s", c.reason, got.Out)
			}
		})
	}
}

// TestNoLogWaitsForOneThatGoesOn: all are followed, however many they are.
func TestNoLogWaitsForOneThatGoesOn(t *testing.T) {
	for _, follow := range []bool{true, false} {
		l := &logsFlags{follow: follow}
		group, ctx := l.readers(t.Context())
		begun := make(chan struct{}, 2*streams)
		more := make(chan struct{})
		for range streams {
			group.Go(func() error { begun <- struct{}{}; <-more; return nil })
		}
		for range streams {
			<-begun
		}
		if follow {
			group.Go(func() error { close(more); return nil })
		} else {
			close(more)
		}
		if err := group.Wait(); err != nil || ctx.Err() == nil {
			t.Errorf("following %t: %v", follow, err)
		}
	}
}

// TestLogsThatCannotBeMeant: what is of pods is not left out in silence of an engine's log.
func TestLogsThatCannotBeMeant(t *testing.T) {
	clitest.Refuses(t, NewLogs, map[string]string{
		"--engine --container web": "cannot take both --engine and --container", "--engine --pod web-1": "cannot take both --engine and --pod", "--engine --since 5m": "cannot take both --engine and --since",
	})
}
