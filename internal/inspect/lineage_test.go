package inspect

import (
	"fmt"
	"strconv"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// TestOwnersAreReadOnce looks for whose an object is that has many owners, and they as many, all of them the same.
func TestOwnersAreReadOnce(t *testing.T) {
	const generations, each = 8, 7
	made := func(generation, i int) *unstructured.Unstructured {
		o := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap"}}
		o.SetName(fmt.Sprintf("%d-%d", generation, i))
		o.SetUID(types.UID(o.GetName()))
		var owners []metav1.OwnerReference
		for j := range each {
			name := fmt.Sprintf("%d-%d", generation+1, j)
			owners = append(owners, metav1.OwnerReference{APIVersion: "v1", Kind: "ConfigMap", Name: name, UID: types.UID(name)})
		}
		o.SetOwnerReferences(owners)
		return o
	}
	for name, tc := range map[string]struct {
		reason string
		ends   int // the generation that bears the tracking id
		want   int
	}{
		"Near":  {"nobody asks for the owners of what is known", 2, 2 * each},
		"Never": {"the owners of owners have an end", generations, maxOwners * each},
	} {
		t.Run(name, func(t *testing.T) {
			reads := 0
			l := lineage{asked: map[metav1.OwnerReference]bool{}, ends: func(o *unstructured.Unstructured) bool {
				return o.GetName() >= strconv.Itoa(tc.ends)
			}, read: func(_ string, ref metav1.OwnerReference) (*unstructured.Unstructured, error) {
				reads++
				var generation, i int
				if _, err := fmt.Sscanf(ref.Name, "%d-%d", &generation, &i); err != nil {
					return nil, err
				}
				return made(generation, i), nil
			}}
			if got := len(l.of(made(0, 0))); reads != tc.want || got != tc.want+1 {
				t.Errorf("%s: %d were read, and %d are in the line, want %d", tc.reason, reads, got, tc.want)
			}
		})
	}
}
