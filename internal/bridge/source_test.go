package bridge

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
)

func TestSources(t *testing.T) {
	manager, err := Manager("net")
	if err != nil {
		t.Fatal(err)
	}
	ref := causeway.KeyReference{Name: "n", Key: "k"}
	yes := "yes"
	for name, c := range map[string]struct {
		reason string
		value  causeway.MetadataValue
		// by is who wrote the annotation x last.
		by   string
		want string
	}{
		"Value":     {"it lives in the ClusterMetadata itself", causeway.MetadataValue{Value: &yes}, manager, "ClusterMetadata net"},
		"ConfigMap": {"of its own namespace", causeway.MetadataValue{From: &causeway.MetadataOrigin{ConfigMap: &ref}}, manager, "ClusterMetadata net from ConfigMap hub/n, key k"},
		"Secret":    {"the place, not the value", causeway.MetadataValue{From: &causeway.MetadataOrigin{Secret: &causeway.SecretValue{KeyReference: ref}}}, manager, "ClusterMetadata net from Secret hub/n, key k"},
		"Field": {"an object of the hub", causeway.MetadataValue{From: &causeway.MetadataOrigin{Field: &causeway.FieldReference{Kind: "Service", Namespace: "web", Name: "front", Path: "{.spec.x}"}}}, manager,
			"ClusterMetadata net from Service web/front, {.spec.x}"},
		"Terraform": {"an output", causeway.MetadataValue{From: &causeway.MetadataOrigin{Terraform: &causeway.TerraformOutput{SecretSuffix: "vpc", Output: "id"}}}, manager, "ClusterMetadata net from output id of the Terraform state vpc"},
		"Fact":      {"the cluster itself", causeway.MetadataValue{From: &causeway.MetadataOrigin{Fact: causeway.FactRegion}}, manager, "ClusterMetadata net from the cluster's region"},
		"Serves":    {"its API", causeway.MetadataValue{From: &causeway.MetadataOrigin{Serves: &causeway.ServedAPI{APIVersion: "batch/v1", Kind: "Job"}}}, manager, "ClusterMetadata net from whether the cluster serves batch/v1 Job"},
		"Label":     {"a key in another place", causeway.MetadataValue{As: causeway.PlaceLabel, Value: &yes}, manager, ""},
		"Other":     {"somebody else wrote it last", causeway.MetadataValue{Value: &yes}, "kubectl", ""},
	} {
		t.Run(name, func(t *testing.T) {
			k := Key{Annotation, "x"}
			c.value.Key = "x"
			set := map[Key]Setter{k: {Manager: c.by}}
			Sources(set, []causeway.ClusterMetadata{{
				ObjectMeta: metav1.ObjectMeta{Namespace: "hub", Name: "net"},
				Spec:       causeway.ClusterMetadataSpec{Values: []causeway.MetadataValue{c.value, {Key: "y", Value: &yes}}},
			}})
			name, _, _ := strings.Cut(c.want, " from ")
			if diff := cmp.Diff(map[Key]Setter{k: {Manager: c.by, Source: c.want, Metadata: name}}, set); diff != "" {
				t.Errorf("%s: %s", c.reason, diff)
			}
		})
	}
}
