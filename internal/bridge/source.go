package bridge

import (
	"fmt"
	"strings"

	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Sources notes behind each key that a ClusterMetadata wrote which one that is,
// and where the value lives.
func Sources(set map[Key]Setter, all []causeway.ClusterMetadata) {
	for i := range all {
		sourcesOf(&all[i], set)
	}
}

func sourcesOf(m *causeway.ClusterMetadata, set map[Key]Setter) {
	manager, err := Manager(m.Name)
	if err != nil {
		return // it writes nothing
	}
	for _, v := range m.Spec.Values {
		k := Key{Annotation, v.Key}
		if v.As == causeway.PlaceLabel {
			k.In = Label
		}
		if s, ok := set[k]; ok && s.Manager == manager {
			s.Metadata = "ClusterMetadata " + m.Name
			s.Source = s.Metadata + livesIn(m.Namespace, v.From)
			set[k] = s
		}
	}
}

// livesIn tells where a value comes from; empty for one that is written as it is.
func livesIn(namespace string, from *causeway.MetadataOrigin) string {
	switch {
	case from == nil:
		return ""
	case from.ConfigMap != nil:
		return fmt.Sprintf(" from ConfigMap %s/%s, key %s", namespace, from.ConfigMap.Name, from.ConfigMap.Key)
	case from.Secret != nil:
		return fmt.Sprintf(" from Secret %s/%s, key %s", namespace, from.Secret.Name, from.Secret.Key)
	case from.Field != nil:
		name := gitops.NameIn(from.Field.Namespace, from.Field.Name)
		return fmt.Sprintf(" from %s %s, %s", from.Field.Kind, name, from.Field.Path)
	case from.Terraform != nil:
		return fmt.Sprintf(" from output %s of the Terraform state %s", from.Terraform.Output, from.Terraform.SecretSuffix)
	case from.Serves != nil:
		return " from whether the cluster serves " + strings.TrimSuffix(from.Serves.APIVersion+" "+from.Serves.Kind, " ")
	}
	return " from the cluster's " + string(from.Fact)
}
