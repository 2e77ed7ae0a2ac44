package declare

import (
	"errors"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/terraform/provider/internal/object"
)

// written is an object with the given field manager.
func written(o map[string]any, manager, fields string) *unstructured.Unstructured {
	live := &unstructured.Unstructured{Object: o}
	live.SetKind("Thing")
	live.SetNamespace("argocd")
	live.SetName("a")
	live.SetManagedFields([]metav1.ManagedFieldsEntry{{Manager: manager, Operation: metav1.ManagedFieldsOperationApply, FieldsV1: metav1.NewFieldsV1(fields)}})
	return live
}

// TestMayTake: what others made becomes a resource's, and goes with it, only
// where somebody said so.
func TestMayTake(t *testing.T) {
	const standard = `{"tls": {}}`
	login := Field{Name: "config_wo", Path: "stringData.config", WriteOnly: true, Standard: standard}
	sort := func(err error) Kind {
		return Kind{Kind: "Thing", Adopt: func(*unstructured.Unstructured) error { return err }, Fields: []Field{login}}
	}
	config := func(text, manager string) *unstructured.Unstructured {
		return written(map[string]any{"data": map[string]any{"config": text}}, manager, `{"f:data":{"f:config":{}}}`)
	}
	const token, plain = "eyJ0b2tlbiI6IngifQ==", "eyJ0bHMiOnt9fQ==" // {"token":"x"} and {"tls":{}}
	for name, tc := range map[string]struct {
		reason  string
		kind    Kind
		live    *unstructured.Unstructured
		secrets map[string]string
		agreed  bool
		says    string // empty where it is taken
	}{
		"Others":     {"a destroy would delete it", Kind{Kind: "Thing"}, written(map[string]any{}, "helm", "{}"), nil, false, "Thing argocd/a is there already, and was written by helm, not by Terraform. To have it become this resource's, import it (terraform import ADDRESS argocd/a)"},
		"Shareable":  {"there is a third way", Kind{Kind: "Thing", Shareable: true}, written(map[string]any{}, "helm", "{}"), nil, false, "with shared = true"},
		"Agreed":     {"the user says so", Kind{Kind: "Thing"}, written(map[string]any{}, "helm", "{}"), nil, true, ""},
		"Own":        {"an apply was cut off, or a state lost", Kind{Kind: "Thing"}, written(map[string]any{}, object.Manager, "{}"), nil, false, ""},
		"Nobodys":    {"the kind says so", Kind{Kind: "Thing", Unclaimed: func(*unstructured.Unstructured) bool { return true }}, written(map[string]any{}, "causeway", "{}"), nil, false, ""},
		"Sort":       {"of its sort, and somebody else's all the same", sort(nil), written(map[string]any{}, "kubectl", "{}"), nil, false, "import it (terraform import ADDRESS argocd/a)"},
		"SortAgreed": {"the kind takes what is of its sort", sort(nil), written(map[string]any{}, "kubectl", "{}"), nil, true, ""},
		"OtherSort":  {"and nothing else", sort(errors.New("it is no cluster's")), written(map[string]any{}, "kubectl", "{}"), nil, true, "it is no cluster's: choose another name"},
		"Login":      {"a login would be lost", sort(nil), config(token, "kubectl"), nil, true, "config_wo is not given"},
		"LoginGiven": {"it is replaced on purpose", sort(nil), config(token, "kubectl"), map[string]string{"config": "{}"}, true, ""},
		"LoginOwn":   {"it is Terraform's own, and was taken away", sort(nil), config(token, object.Manager), nil, false, ""},
		"Standard":   {"nothing is lost", sort(nil), config(plain, "kubectl"), nil, true, ""},
	} {
		t.Run(name, func(t *testing.T) {
			o := &unstructured.Unstructured{Object: map[string]any{}}
			o.SetNamespace("argocd")
			o.SetName("a")
			err := tc.kind.mayTake(tc.live, wanted{object: o, secrets: tc.secrets}, tc.agreed)
			switch {
			case tc.says == "" && err != nil:
				t.Errorf("%s: %v", tc.reason, err)
			case tc.says != "" && (err == nil || !strings.Contains(err.Error(), tc.says)):
				t.Errorf("%s: got %v, want %q", tc.reason, err, tc.says)
			}
		})
	}
}

// TestBegins: an import takes no login, and the apply after it would write the
// standard over that.
func TestBegins(t *testing.T) {
	k := Kind{Kind: "Thing", Fields: []Field{{Name: "config_wo", Path: "stringData.config", WriteOnly: true, Standard: "{}"}}}
	for name, tc := range map[string]struct {
		reason, state string
		w             wanted
		want          bool
	}{
		"Imported": {"the state has none", `{"stringData":{"name":"a"}}`, wanted{}, true},
		"Applied":  {"it is what Terraform wrote, and drift", `{"stringData":{"config":"` + concealed + `"}}`, wanted{}, false},
		"Given":    {"no standard is written", `{}`, wanted{secrets: map[string]string{"config": "x"}}, false},
		"Unsaid":   {"nor where it is not known yet", `{}`, wanted{unsaid: map[string]bool{"config": true}}, false},
		"NoState":  {"it is read next", "", wanted{}, true},
	} {
		if got := k.begins(tc.state, tc.w); got != tc.want {
			t.Errorf("%s: %s: got %t", name, tc.reason, got)
		}
	}
	if (Kind{}).begins("", wanted{}) {
		t.Error("what has no standard writes none")
	}
}

// TestAgreed: what a plan does not know yet is looked at again by the apply.
func TestAgreed(t *testing.T) {
	for name, tc := range map[string]struct {
		value any
		want  bool
	}{"True": {true, true}, "False": {false, false}, "Null": {nil, false}, "Unknown": {tftypes.UnknownValue, true}} {
		for _, attr := range []string{attrAdopt, attrShared} {
			config := tftypes.NewValue(tftypes.Object{AttributeTypes: map[string]tftypes.Type{attr: tftypes.Bool}}, map[string]tftypes.Value{attr: tftypes.NewValue(tftypes.Bool, tc.value)})
			if got := agreed(config); got != tc.want {
				t.Errorf("%s of %s: got %t", name, attr, got)
			}
		}
	}
}

// TestProtectedIsNotDeleted: the deletion of a replacement that somebody asks
// for is in no plan that could be refused.
func TestProtectedIsNotDeleted(t *testing.T) {
	r := &declared{kind: Kind{Type: "thing", Kind: "Thing", Fields: []Field{Namespace()}}}
	s := r.kind.schema()
	raw := typed(s.Type().TerraformType(t.Context()), map[string]any{attrID: "argocd/a", attrObject: "{}", attrProtection: true})
	var resp resource.DeleteResponse
	r.Delete(t.Context(), resource.DeleteRequest{State: tfsdk.State{Schema: s, Raw: raw}}, &resp) // it has no hub to ask
	if d := resp.Diagnostics; len(d) != 1 || !strings.Contains(d[0].Summary()+d[0].Detail(), "This thing is protected from deletion") {
		t.Errorf("got %v", d)
	}
}
