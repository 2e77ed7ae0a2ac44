package object

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// TestAddresses: what of an address is a login, and what is left without it.
func TestAddresses(t *testing.T) {
	type facts struct {
		SignsIn, HasPassword bool
		Anonymous            string
	}
	for address, want := range map[string]facts{
		"":                                 {false, false, ""},
		"https://10.0.0.1:6443":            {false, false, "https://10.0.0.1:6443"},
		"https://rancher/k8s/c@b":          {false, false, "https://rancher/k8s/c@b"},
		"https://robot@10.0.0.1:6443":      {true, false, "https://10.0.0.1:6443"},
		"https://robot:x@10.0.0.1:6443/a":  {true, true, "https://10.0.0.1:6443/a"},
		"https://robot:x%zz@10.0.0.1:6443": {true, true, ""},
		"robot:x@10.0.0.1:6443":            {true, false, ""},
		"git@git.example.com:a":            {true, false, ""},
	} {
		got := facts{SignsIn(address), HasPassword(address), Anonymous(address)}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", address, diff)
		}
	}
}

// TestAnnotationsTellNoWholeObject: kubectl keeps in an annotation what it was
// given, and of a Secret that is what is secret.
func TestAnnotationsTellNoWholeObject(t *testing.T) {
	o := &unstructured.Unstructured{Object: map[string]any{}}
	o.SetAnnotations(map[string]string{LastApplied: `{"data":{"config":"x"}}`, "region": "eu"})
	o.SetManagedFields([]metav1.ManagedFieldsEntry{{
		Manager: formerly[0], FieldsV1: metav1.NewFieldsV1(`{"f:metadata":{"f:annotations":{"f:region":{},"f:` + LastApplied + `":{}}}}`),
	}})
	for what, got := range map[string]map[string]string{"all": Annotations(o), "what Terraform wrote": Mine(o).GetAnnotations()} {
		if diff := cmp.Diff(map[string]string{"region": "eu"}, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
}

// TestOthersFieldsStay: an apply takes away what it alone wrote and names no
// more, and nothing that somebody else has, too.
func TestOthersFieldsStay(t *testing.T) {
	entry := func(manager string, operation metav1.ManagedFieldsOperationType, fields string) metav1.ManagedFieldsEntry {
		return metav1.ManagedFieldsEntry{Manager: manager, Operation: operation, FieldsV1: metav1.NewFieldsV1(fields)}
	}
	o := &unstructured.Unstructured{Object: map[string]any{"data": map[string]any{"server": "", "project": ""}}}
	o.SetLabels(map[string]string{"mine": "", "shared": "", "edited": "", "theirs": "", "nobodys": ""})
	o.SetAnnotations(map[string]string{"mine": "", "theirs": ""})
	o.SetManagedFields([]metav1.ManagedFieldsEntry{
		entry(Manager, metav1.ManagedFieldsOperationApply, `{"f:data":{"f:server":{}},"f:metadata":{"f:annotations":{"f:mine":{}},"f:labels":{"f:mine":{},"f:shared":{},"f:edited":{}}}}`),
		entry(Manager, metav1.ManagedFieldsOperationUpdate, `{"f:metadata":{"f:labels":{"f:edited":{}}}}`),
		entry("kubectl", metav1.ManagedFieldsOperationUpdate, `{"f:data":{"f:project":{}},"f:metadata":{"f:annotations":{"f:theirs":{}},"f:labels":{"f:theirs":{},"f:shared":{}}}}`),
	})
	got := Others(o)
	for what, is := range map[string]struct{ want, got map[string]string }{
		"labels":      {map[string]string{"shared": "", "edited": "", "theirs": "", "nobodys": ""}, got.GetLabels()},
		"annotations": {map[string]string{"theirs": ""}, got.GetAnnotations()},
		"data":        {map[string]string{"project": ""}, Data(got)},
	} {
		if diff := cmp.Diff(is.want, is.got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
	if len(o.GetLabels()) != 5 {
		t.Error("the object itself was changed")
	}
}

func TestWritten(t *testing.T) {
	entry := func(manager, operation, subresource string) metav1.ManagedFieldsEntry {
		return metav1.ManagedFieldsEntry{Manager: manager, Operation: metav1.ManagedFieldsOperationType(operation), Subresource: subresource}
	}
	o := &unstructured.Unstructured{Object: map[string]any{}}
	o.SetManagedFields([]metav1.ManagedFieldsEntry{entry("helm", "Update", ""), entry("causeway", "Update", "status"), entry("argocd", "Update", ""), entry("helm", "Apply", "")})
	if Written(o) {
		t.Error("what others wrote counts as the provider's")
	}
	if got := WrittenBy(o); got != "argocd, helm" {
		t.Errorf("it was written by %s", got)
	}
	if got := WrittenBy(&unstructured.Unstructured{Object: map[string]any{}}); got == "" {
		t.Error("of whom nothing is known is nobody")
	}
	o.SetManagedFields(append(o.GetManagedFields(), entry(Manager, "Apply", "")))
	if !Written(o) {
		t.Error("what the provider wrote is not known as its own")
	}
}
