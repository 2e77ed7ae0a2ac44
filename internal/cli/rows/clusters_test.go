package rows

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/target"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/local"
	"github.com/causeway-gitops/causeway/internal/local/fleetstatus"
	"github.com/causeway-gitops/causeway/internal/server/clusters"
)

// TestPausedClusterIsListed has a cluster that is left alone, as its Secret or
// a server tells.
func TestPausedClusterIsListed(t *testing.T) {
	here := target.Spoke{Cluster: gitops.Cluster{Name: "prod", Annotations: map[string]string{v1alpha1.AnnotationSkipReconcile: "true"}}}
	for what, got := range map[string]Row{
		"by its Secret": ClusterRow(here, fleetstatus.Tally{}, Answer{State: "reachable"}, nil, nil),
		"by a server":   servedCluster(&clusters.Health{Name: "prod", Reachable: true, Paused: true}, fleetstatus.Tally{}),
	} {
		view, ok := got.Object.(clusterView)
		if !ok || !view.Paused || got.Cells[2] != "reachable, paused" {
			t.Errorf("a cluster that is paused, %s, is listed as %v", what, got.Cells)
		}
	}
}

// A row of a cluster has what is wrong with its Secret before what the Secret shares with others, and no copy of the Secret.
func TestClusterRow(t *testing.T) {
	described := gitops.Cluster{
		Name: "prod", Server: "https://prod.example.com", Secret: "cluster-prod", Project: "red",
		Labels:      map[string]string{"environment": "live", "enable_dns": "true", "enable_mesh": "false", "enable_": "true", "disable_dns": "true"},
		Annotations: map[string]string{"region": "eu", corev1.LastAppliedConfigAnnotation: "hunter2"},
	}
	counts := fleetstatus.Tally{Apps: 3, Synced: 2, Healthy: 1}
	for name, tc := range map[string]struct {
		reason  string
		problem error
		answer  Answer
		clashes []string
		want    []string
		wide    []string
	}{
		"Well": {
			"all is told of it", nil, Answer{"reachable", "v1.34.1", 12345 * time.Microsecond}, nil,
			[]string{"prod", "live", "reachable", "3", "2", "1", "2", "https://prod.example.com"}, []string{"cluster-prod", "red", "1", "v1.34.1", "12ms", "-"},
		},
		"Silent": {
			"what is not known is a dash, and no time is no latency", nil, Answer{State: "unreachable"}, nil,
			[]string{"prod", "live", "unreachable", "3", "2", "1", "2", "https://prod.example.com"}, []string{"cluster-prod", "red", "1", "-", "-", "-"},
		},
		"Shared": {
			"what it shares stands behind its address", nil, Answer{State: "reachable"}, []string{"two have the name", "two have the server"},
			[]string{"prod", "live", "reachable", "3", "2", "1", "2", "https://prod.example.com; two have the name; two have the server"}, []string{"cluster-prod", "red", "1", "-", "-", "-"},
		},
		"Broken": {
			"what is wrong stands alone, in one line", errors.New("cannot read\nconfig"), Answer{State: "invalid"}, []string{"two have the name"},
			[]string{"prod", "live", "invalid", "3", "2", "1", "2", "cannot read config"}, []string{"cluster-prod", "red", "1", "-", "-", "-"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			row := ClusterRow(target.Spoke{Cluster: described, Problem: tc.problem}, counts, tc.answer, nil, tc.clashes)
			if d := cmp.Diff(tc.want, row.Cells); d != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, d)
			}
			if d := cmp.Diff(tc.wide, row.Wide); d != "" {
				t.Errorf("%s, wide (-want +got):\n%s", tc.reason, d)
			}
			if len(row.Cells) != len(ClusterHeader) || len(row.Wide) != len(ClusterWide) {
				t.Errorf("%s: it has other columns than the table", tc.reason)
			}
			if len(described.Annotations) != 2 {
				t.Error("the cluster's own annotations were changed")
			}
		})
	}
}

// A cluster that refuses who asks is told apart from one that is not there, and one that lets nobody ask its version is there.
func TestAnswersOfClusters(t *testing.T) {
	status := func(code int, reason metav1.StatusReason) func(http.ResponseWriter, *http.Request) {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(code)
			_ = json.NewEncoder(w).Encode(metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusFailure, Reason: reason, Code: int32(code)})
		}
	}
	for name, tc := range map[string]struct {
		reason  string
		answer  any
		token   string
		state   string
		version string
	}{
		"Well":      {"it tells its version", map[string]string{"major": "1", "minor": "34", "gitVersion": "v1.34.1"}, clitest.Token, "reachable", "v1.34.1"},
		"Forbidden": {"who may not ask has reached it", status(http.StatusForbidden, metav1.StatusReasonForbidden), clitest.Token, "reachable", ""},
		"Stranger":  {"it knows who asks no more", status(http.StatusUnauthorized, metav1.StatusReasonUnauthorized), clitest.Token, "refused", ""},
		"Token":     {"a token that is not valid is refused as well", nil, "another", "refused", ""},
	} {
		t.Run(name, func(t *testing.T) {
			config := configOf(clitest.NewDesk(t, map[string]any{"GET /version": tc.answer}).URL)
			config.BearerToken = tc.token
			got := answers(t.Context(), target.Spoke{Config: config})
			if got.State != tc.state || got.Version != tc.version || (got.Latency > 0) != (tc.state == "reachable") {
				t.Errorf("%s: %+v", tc.reason, got)
			}
		})
	}
	if got := answers(t.Context(), target.Spoke{Config: configOf(closed())}); got != (Answer{State: "unreachable"}) {
		t.Errorf("where nobody listens: %+v", got)
	}
	if got := answers(t.Context(), target.Spoke{Problem: errors.New("no config")}); got != (Answer{State: "invalid"}) {
		t.Errorf("a Secret that leads nowhere: %+v", got)
	}
}

// Clusters are listed from their Secrets: what two of them share is told of both, also where one alone is asked for.
func TestClustersOfAHub(t *testing.T) {
	desk := clitest.NewDesk(t, map[string]any{"GET /version": map[string]string{"gitVersion": "v1.34.1"}})
	config := `{"bearerToken": "` + clitest.Token + `"}`
	hub := &target.Hub{Namespace: "argocd", Fleet: &local.Fleet{}, Client: &kept{
		secrets: []corev1.Secret{
			secretOf(v1alpha1.SecretTypeCluster, "one", map[string]string{"name": "prod", "server": desk.URL, "config": config, "project": "red"}, map[string]string{"tier": "one"}),
			secretOf(v1alpha1.SecretTypeCluster, "two", map[string]string{"name": "prod", "server": closed(), "config": config}, nil),
			secretOf(v1alpha1.SecretTypeCluster, "bad", map[string]string{"name": "bad", "server": "https://bad.example.com", "config": "{"}, nil),
		},
		apps: []v1alpha1.Application{{Spec: v1alpha1.ApplicationSpec{Destination: v1alpha1.ApplicationDestination{Server: desk.URL}}}},
	}}
	for name, tc := range map[string]struct {
		reason string
		query  Query
		want   map[string]string
	}{
		"All":     {"a Secret that cannot be read is listed, too", Query{}, map[string]string{"one": "prod reachable 1 shared", "two": "prod unreachable 1 shared", "bad": "bad invalid 0"}},
		"Label":   {"another one shares its name, which is not listed", Query{Selector: selecting(t, "tier=one")}, map[string]string{"one": "prod reachable 1 shared"}},
		"Project": {"one of the project", Query{Projects: []string{"red"}}, map[string]string{"one": "prod reachable 1 shared"}},
		"Nobody":  {"no cluster is of that one", Query{Projects: []string{"green"}}, map[string]string{}},
	} {
		t.Run(name, func(t *testing.T) {
			rows, err := Clusters(t.Context(), hub, tc.query)
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]string{}
			for _, row := range rows {
				text := row.Cells[0] + " " + row.Cells[2] + " " + row.Cells[3]
				if view, ok := row.Object.(clusterView); !ok || len(view.Clashes) > 0 {
					text += " shared"
				}
				got[row.Wide[0]] = text
			}
			if d := cmp.Diff(tc.want, got); d != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, d)
			}
		})
	}
	var out bytes.Buffer
	if err := PrintClusters(t.Context(), clitest.Global(t, &out), &target.Hub{Fleet: &local.Fleet{}, Client: &kept{}}); err != nil || out.String() != "no clusters found\n" {
		t.Errorf("of none it says %q: %v", out.String(), err)
	}
}

// A server tells of clusters as its engine sees them: one that was never looked at has a Secret that leads nowhere.
func TestClustersOfAServer(t *testing.T) {
	since := time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)
	hub := served(t, map[string]any{
		"GET /api/v1/fleet/clusters": []clusters.Health{
			{Name: "prod", Server: "https://prod.example.com", Reachable: true, Since: &since, Latency: 12, Version: "v1.34.1", Project: "red", Labels: map[string]string{"tier": "one"}},
			{Name: "away", Server: "https://away.example.com", Since: &since, Labels: map[string]string{"tier": "one"}},
			{Name: "bad", Server: "https://bad.example.com"},
		},
		clitest.AppsRoute: clitest.Applications(&v1alpha1.Application{
			ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "argocd"}, Spec: v1alpha1.ApplicationSpec{Destination: v1alpha1.ApplicationDestination{Server: "https://prod.example.com"}},
		}),
	})
	for name, tc := range map[string]struct {
		reason string
		query  Query
		want   []string
	}{
		"All":      {"in the order of the server", Query{}, []string{"prod reachable 1 12ms", "away unreachable 0 -", "bad invalid 0 -"}},
		"Selector": {"it tells labels of clusters", Query{Selector: selecting(t, "tier=one")}, []string{"prod reachable 1 12ms", "away unreachable 0 -"}},
		"Both":     {"all that is asked for has to be so", Query{Selector: selecting(t, "tier=one"), Projects: []string{"red"}}, []string{"prod reachable 1 12ms"}},
	} {
		t.Run(name, func(t *testing.T) {
			rows, err := Clusters(t.Context(), hub, tc.query)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, row := range rows {
				got = append(got, strings.Join([]string{row.Cells[0], row.Cells[2], row.Cells[3], row.Wide[4]}, " "))
			}
			if d := cmp.Diff(tc.want, got); d != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, d)
			}
		})
	}
}
