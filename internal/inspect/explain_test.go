package inspect

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/redact"
	"github.com/causeway-gitops/causeway/internal/render"
)

// A value is masked in each of its layers, by the place where it stands and by what is
// known to be secret; the last layer is the value.
func TestValuesAreMaskedInEachLayer(t *testing.T) {
	mask := redact.NewMasker(redact.NewKnown([]string{"swordfish"}))
	layers := func(values ...any) (out []gitops.Layer) {
		for i, v := range values {
			out = append(out, gitops.Layer{Name: fmt.Sprint("layer ", i), Value: v})
		}
		return out
	}
	for name, tc := range map[string]struct {
		reason string
		path   []string
		layers []gitops.Layer
		want   []any
	}{
		"Plain":    {"the last one counts", []string{"replicas"}, layers(int64(1), int64(3)), []any{int64(1), int64(3)}},
		"Key":      {"of no layer the password is shown", []string{"db", "password"}, layers("old", "new"), []any{redact.Mask, redact.Mask}},
		"Known":    {"one layer has what was decrypted", []string{"note"}, layers("plain", "is swordfish"), []any{"plain", "is " + redact.Mask}},
		"Taken":    {"the last layer takes it away", []string{"note"}, layers("plain", nil), []any{"plain", nil}},
		"Of none":  {"nothing has said anything", []string{"note"}, nil, nil},
		"Disabled": {"a flag is no secret", []string{"useToken"}, layers(true), []any{true}},
	} {
		t.Run(name, func(t *testing.T) {
			got := parameterOf(gitops.Value{Path: tc.path, Layers: tc.layers}, mask)
			var values []any
			var last any
			for _, l := range got.Layers {
				values, last = append(values, l.Value), l.Value
			}
			if diff := cmp.Diff(tc.want, values); diff != "" || got.Value != last || got.Layers == nil {
				t.Errorf("%s: the value is %v (-want +got):\n%s", tc.reason, got.Value, diff)
			}
		})
	}
}

// While it is not known what the cluster serves, nobody knows which values become those of
// Secrets: none is shown, and it is said why.
func TestNothingIsShownOfASilentCluster(t *testing.T) {
	mask, why := Explainer{}.masker(t.Context(), render.Input{}, errors.New("dev does not answer"))
	if !strings.HasSuffix(why, "dev does not answer") {
		t.Errorf("it says %q", why)
	}
	got := parameterOf(gitops.Value{Path: []string{"replicas"}, Layers: []gitops.Layer{{Value: "anything"}, {Value: true}}}, mask)
	if got.Layers[0].Value != redact.Mask || got.Layers[1].Value != true {
		t.Errorf("shown is %+v", got)
	}
}

// Values are told apart by their source, and are what their last layer says.
func TestValuesByTheirNames(t *testing.T) {
	value := func(path string, values ...any) gitops.Value {
		v := gitops.Value{Path: strings.Split(path, "/")}
		for _, one := range values {
			v.Layers = append(v.Layers, gitops.Layer{Value: one})
		}
		return v
	}
	got := byNames([]render.SourceValues{
		{Source: 0, Values: []gitops.Value{value("image/tag", "v1", "v2"), value("nothing")}},
		{Source: 1, Values: []gitops.Value{value("image/tag", "v3")}},
	})
	if diff := cmp.Diff(map[string]any{"0:image.tag": "v2", "1:image.tag": "v3"}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// Keys of clusters reach an application through the set that made it: one that none has
// made has none, and nothing is read for it.
func TestKeysOfAnApplicationOfNoSet(t *testing.T) {
	app := &v1alpha1.Application{}
	app.OwnerReferences = []metav1.OwnerReference{{Kind: "ConfigMap", Name: "other"}}
	got, err := Explainer{}.Keys(t.Context(), app)
	if err != nil || got.Set != "" || got.Keys == nil || len(got.Keys) > 0 {
		t.Errorf("it has %+v, %v", got, err)
	}
	app.OwnerReferences = append(app.OwnerReferences, metav1.OwnerReference{Kind: v1alpha1.ApplicationSetKind, Name: "web"})
	if owner := ownerOf(app); owner != "web" {
		t.Errorf("it is of %q", owner)
	}
}
