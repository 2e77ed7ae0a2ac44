package doctor

import (
	"context"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/cli/target"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// checkMetadata lists each ClusterMetadata that could not write a value, and
// each MetadataSchema whose rules cannot be used or are broken.
func checkMetadata(ctx context.Context, h *target.Hub) []finding {
	var objects causeway.ClusterMetadataList
	var schemas causeway.MetadataSchemaList
	for _, list := range []client.ObjectList{&objects, &schemas} {
		// Without the definitions nobody uses them.
		if err := h.Client.List(ctx, list, client.InNamespace(h.Namespace)); err != nil && !apierrors.IsNotFound(err) {
			return []finding{{"cluster metadata", fail, h.Explain(err).Error(), ""}}
		}
	}
	var found []finding
	for i := range objects.Items {
		o := &objects.Items[i]
		found = append(found, unready("clustermetadata", o.Name, o.Status.Conditions, o.Status.Problems)...)
	}
	for i := range schemas.Items {
		s := &schemas.Items[i]
		found = append(found, unready("metadataschema", s.Name, s.Status.Conditions, nil)...)
		if n := int(s.Status.Violations); n > 0 {
			detail := gitops.Count(n, "violation") + firstOf(s.Status.Problems)
			found = append(found, finding{"metadataschema " + s.Name, warn, detail, "correct the values at what writes the Secrets: causeway lint names the files"})
		}
	}
	return found
}

// unready is a line for an object that has a condition which is false.
func unready(kind, name string, conditions []metav1.Condition, problems []causeway.MetadataProblem) []finding {
	for _, c := range conditions {
		if c.Status != metav1.ConditionFalse {
			continue
		}
		detail := c.Message
		if len(problems) > 1 { // more of them than the one that the condition tells
			detail = gitops.Count(len(problems), "problem") + firstOf(problems)
		}
		return []finding{{kind + " " + name, fail, detail, fmt.Sprintf("kubectl get %s %s -o yaml", kind, name)}}
	}
	if len(conditions) == 0 {
		return []finding{{kind + " " + name, warn, "not looked at yet", "check that the engine runs, and may read it: causeway logs"}}
	}
	return nil
}

// mostProblems is how many problems of an object a line tells.
const mostProblems = 3

func firstOf(problems []causeway.MetadataProblem) string {
	var texts []string
	for _, p := range problems[:min(len(problems), mostProblems)] {
		text := p.Message
		if p.Key != "" && !strings.Contains(text, p.Key) {
			text = p.Key + ": " + text
		}
		if p.Cluster != "" {
			text = "cluster " + p.Cluster + ": " + text
		}
		texts = append(texts, text)
	}
	switch {
	case len(texts) == 0:
		return ""
	case len(problems) > len(texts):
		return "; the first: " + strings.Join(texts, "; ")
	}
	return ": " + strings.Join(texts, "; ")
}
