package cluster

import (
	"encoding/base64"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/terraform/provider/internal/object"
)

func TestComplete(t *testing.T) {
	type texts map[string]string
	for name, tc := range map[string]struct {
		given                     map[string]any
		called                    string
		labels, annotations, data texts
	}{
		"Nothing": {
			map[string]any{}, "in-cluster",
			texts{"cluster_name": "in-cluster", "environment": "dev", "enable_argocd": "true", labelType: "cluster"},
			texts{"cluster_name": "in-cluster", "environment": "dev"},
			texts{"name": "in-cluster", "server": DefaultServer},
		},
		"LaterWins": {
			map[string]any{
				"cluster_name": "prod", "environment": "live", "secret_name": "cluster-prod",
				"addons": map[string]any{"enable_x": "true", "tier": "a"}, "labels": map[string]any{"tier": "b"}, "metadata": map[string]any{"region": "eu west"},
			}, "cluster-prod",
			texts{"cluster_name": "prod", "environment": "live", "enable_argocd": "true", labelType: "cluster", "enable_x": "true", "tier": "b"},
			texts{"cluster_name": "prod", "environment": "live", "region": "eu west"},
			texts{"name": "prod", "server": DefaultServer},
		},
		"NullLeavesOut": {
			map[string]any{"addons": map[string]any{"enable_argocd": nil}, "metadata": map[string]any{"environment": nil}}, "in-cluster",
			texts{"cluster_name": "in-cluster", "environment": "dev", labelType: "cluster"},
			texts{"cluster_name": "in-cluster"},
			texts{"name": "in-cluster", "server": DefaultServer},
		},
	} {
		t.Run(name, func(t *testing.T) {
			o := &unstructured.Unstructured{Object: map[string]any{}}
			if err := complete(tc.given, o); err != nil {
				t.Fatal(err)
			}
			data := texts{}
			for key, v := range o.Object["stringData"].(map[string]any) {
				data[key], _ = v.(string)
			}
			got := []any{o.GetName(), o.Object["type"], texts(o.GetLabels()), texts(o.GetAnnotations()), data}
			if diff := cmp.Diff([]any{tc.called, "Opaque", tc.labels, tc.annotations, tc.data}, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestCompleteWrongInput(t *testing.T) {
	for name, tc := range map[string]struct {
		given map[string]any
		want  string
	}{
		"EmptyName":   {map[string]any{"cluster_name": ""}, "cluster_name is empty: leave it out"},
		"EmptyServer": {map[string]any{"server": ""}, "server is empty: leave it out"},
		"Login":       {map[string]any{"server": "https://robot:t0ken@10.0.0.1"}, "give it in config_wo"},
		"EmptySecret": {map[string]any{"secret_name": ""}, "secret_name is empty: leave it out"},
		"NoCluster":   {map[string]any{"labels": map[string]any{labelType: "repository"}}, `must stay "cluster"`},
		"NoType":      {map[string]any{"addons": map[string]any{labelType: nil}}, `must stay "cluster"`},
	} {
		t.Run(name, func(t *testing.T) {
			err := complete(tc.given, &unstructured.Unstructured{Object: map[string]any{}})
			if err == nil || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "t0ken") {
				t.Errorf("%v; want %q", err, tc.want)
			}
		})
	}
}

func TestConfigIsToldFromOtherTexts(t *testing.T) {
	if err := checkConfig(DefaultConfig); err != nil {
		t.Error(err)
	}
	for _, bad := range []string{"", "hunter2", `["hunter2"]`, `{"bearerToken": "hunter2"`} {
		if err := checkConfig(bad); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%q: %v; want an error that repeats nothing of it", bad, err)
		}
	}
}

// TestAbsorb: an import takes what Terraform wrote, and of that only what is
// not there by default.
func TestAbsorb(t *testing.T) {
	o := &unstructured.Unstructured{Object: map[string]any{"data": map[string]any{
		"name":   base64.StdEncoding.EncodeToString([]byte("prod")),
		"server": base64.StdEncoding.EncodeToString([]byte("https://10.0.0.1")),
	}}}
	o.SetName("cluster-prod")
	o.SetLabels(map[string]string{labelType: "cluster", "cluster_name": "prod", "environment": "live", "enable_argocd": "true", "enable_x": "true", "somebody": "else"})
	o.SetAnnotations(map[string]string{"cluster_name": "prod", "region": "eu"})
	o.SetManagedFields([]metav1.ManagedFieldsEntry{{
		Manager: object.Manager, Operation: metav1.ManagedFieldsOperationApply,
		FieldsV1: metav1.NewFieldsV1(`{"f:metadata":{"f:labels":{"f:enable_x":{},"f:enable_argocd":{},"f:cluster_name":{}},"f:annotations":{"f:region":{},"f:cluster_name":{}}}}`),
	}})
	want := map[string]any{
		"cluster_name": "prod", "environment": "live", "secret_name": "cluster-prod",
		"addons": map[string]any{"enable_x": "true"}, "metadata": map[string]any{"region": "eu"},
	}
	if diff := cmp.Diff(want, absorb(o)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	hub := &unstructured.Unstructured{Object: map[string]any{}}
	hub.SetName(DefaultName)
	if diff := cmp.Diff(map[string]any{"cluster_name": DefaultName, "server": nil}, absorb(hub)); diff != "" {
		t.Errorf("of an empty Secret (-want +got):\n%s", diff)
	}
}

func TestAdopt(t *testing.T) {
	is := map[string]string{labelType: "cluster"}
	for name, tc := range map[string]struct {
		reason        string
		labels, notes map[string]string
		want          string // part of the error; empty for none
	}{
		"Cluster":  {"it is a cluster's already", is, nil, ""},
		"Other":    {"a Secret of something else", nil, nil, "db is no cluster's"},
		"Source":   {"a ClusterSource writes it", map[string]string{labelType: "cluster", labelSource: "fleet"}, nil, "db is kept by the ClusterSource fleet"},
		"Declared": {"a Cluster writes it", is, map[string]string{noteDeclared: "dev"}, "db is kept by the Cluster dev"},
	} {
		t.Run(name, func(t *testing.T) {
			o := &unstructured.Unstructured{Object: map[string]any{}}
			o.SetName("db")
			o.SetLabels(tc.labels)
			o.SetAnnotations(tc.notes)
			err := adopt(o)
			switch {
			case tc.want == "" && err != nil:
				t.Errorf("%s: %v", tc.reason, err)
			case tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)):
				t.Errorf("%s: got %v, want %q", tc.reason, err, tc.want)
			}
		})
	}
}

// TestKeysOfOthers holds the names of the engine's marks to its own.
func TestKeysOfOthers(t *testing.T) {
	for file, text := range map[string]string{
		"../../../../api/causeway/v1alpha1/register.go": `LabelClusterSource = Group + "/` + strings.TrimPrefix(labelSource, "causeway.io/") + `"`,
		"../../../../internal/gitops/causeway.go":       `AnnotationDeclaredBy = OwnPrefix + "` + strings.TrimPrefix(noteDeclared, "causeway.io/") + `"`,
	} {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(source), text) {
			t.Errorf("%s has no %s", file, text)
		}
	}
}

// TestDataTellsNoCredentials: the state keeps what a data source has read.
func TestDataTellsNoCredentials(t *testing.T) {
	live := &unstructured.Unstructured{Object: map[string]any{"data": map[string]any{
		"server": base64.StdEncoding.EncodeToString([]byte("https://robot:t0ken@10.0.0.1:6443")),
	}}}
	live.SetAnnotations(map[string]string{object.LastApplied: `{"stringData":{"config":"t0ken"}}`, "region": "eu"})
	got := facts{}.of(t.Context(), live)
	if got.Server.ValueString() != "https://10.0.0.1:6443" {
		t.Errorf("the address is %s", got.Server)
	}
	if len(got.Annotations.Elements()) != 1 {
		t.Errorf("the annotations are %s", got.Annotations)
	}
}
