package difference

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/redact"
	"github.com/causeway-gitops/causeway/test/deviation"
)

// recorded is how many cases there are; it only goes up.
const recorded = 369

const conformanceDir = "../../../shared/conformance/diff"

// conformanceCase is one recorded comparison of Argo CD's.
type conformanceCase struct {
	Name              string                     `json:"name"`
	Desired           map[string]any             `json:"desired"`
	Live              map[string]any             `json:"live"`
	Ignore            v1alpha1.IgnoreDifferences `json:"ignoreDifferences"`
	CM                map[string]string          `json:"argocdCM"`
	ServerSide        bool                       `json:"serverSideApply"`
	MaskSecret        bool                       `json:"maskSecret"`
	SensitiveAnnotion []string                   `json:"sensitiveAnnotations"`
	Expected          struct {
		Modified       *bool          `json:"modified"`
		Live           map[string]any `json:"normalizedLive"`
		Predicted      map[string]any `json:"predictedLive"`
		MaskedDesired  map[string]any `json:"maskedDesired"`
		MaskedLive     map[string]any `json:"maskedLive"`
		MaskedPredict  map[string]any `json:"maskedPredictedLive"`
		MaskedNormal   map[string]any `json:"maskedNormalizedLive"`
		MaskError      string         `json:"maskError"`
		Error          string         `json:"error"`
		SettingsFailed string         `json:"settingsError"`
	} `json:"expected"`
}

func TestDifferenceConformance(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join(conformanceDir, "*.yaml"))
	if len(files) == 0 {
		deviation.Missing(t, "shared/conformance/diff")
	}
	tally := deviation.New(t)
	for _, file := range files {
		for _, c := range readCases(t, file) {
			tally.Case(t, c.Name, c.difference(t))
		}
	}
	tally.End(t, recorded)
}

func readCases(t *testing.T, file string) []conformanceCase {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []conformanceCase
	for decoder := yaml.NewDecoder(f); ; {
		var node yaml.Node
		err := decoder.Decode(&node)
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		exponents(&node)
		var content map[string]any
		if err := node.Decode(&content); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		data, err := json.Marshal(content)
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		var c conformanceCase
		if err := json.Unmarshal(data, &c); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if c.Name != "" {
			out = append(out, c)
		}
	}
}

// exponents keeps 1e9 a text: in YAML 1.1, as the cases are written, a number
// with an exponent has a dot.
func exponents(n *yaml.Node) {
	if n.Kind == yaml.ScalarNode && n.Tag == "!!float" && !strings.Contains(n.Value, ".") {
		n.Tag = "!!str"
	}
	for _, child := range n.Content {
		exponents(child)
	}
}

// asObject turns decoded JSON into an object as the engine has them.
func asObject(t *testing.T, content map[string]any) *unstructured.Unstructured {
	t.Helper()
	if content == nil {
		return nil
	}
	data, err := json.Marshal(content)
	if err != nil {
		t.Fatal(err)
	}
	o := &unstructured.Unstructured{}
	if err := json.Unmarshal(data, o); err != nil {
		t.Fatal(err)
	}
	return o
}

func (c *conformanceCase) compare(t *testing.T) (Result, error) {
	t.Helper()
	settings, err := ParseSettings(c.CM)
	if err != nil {
		return Result{}, err
	}
	rules, err := NewRules("red", c.Ignore, settings)
	if err != nil {
		return Result{}, err
	}
	return Of(context.Background(), Input{
		Desired: asObject(t, c.Desired), Live: asObject(t, c.Live), Rules: rules, ServerSide: c.ServerSide, Manager: "argocd-controller",
	})
}

// difference is empty when a case agrees: modified or not, both sides, and the masks.
func (c *conformanceCase) difference(t *testing.T) string {
	t.Helper()
	got, err := c.compare(t)
	if want := c.Expected.Error + c.Expected.SettingsFailed; want != "" || err != nil {
		if (want != "") != (err != nil) {
			return fmt.Sprintf("error %v, want %q", err, want)
		}
		return ""
	}
	if c.Expected.Modified == nil || got.Modified != *c.Expected.Modified {
		return fmt.Sprintf("modified is %t\n%s", got.Modified, cmp.Diff(got.Live, got.Predicted))
	}
	if diff := cmp.Diff(asObject(t, c.Expected.Live), asObject(t, got.Live)) + cmp.Diff(asObject(t, c.Expected.Predicted), asObject(t, got.Predicted)); diff != "" {
		return "shows (-want +got):\n" + diff
	}
	if !c.MaskSecret {
		return ""
	}
	return c.maskDifference(t, got)
}

// maskDifference compares which values the marks show as equal.
func (c *conformanceCase) maskDifference(t *testing.T, got Result) string {
	t.Helper()
	desired, live, err := redact.Marks(asObject(t, c.Desired), asObject(t, c.Live), c.SensitiveAnnotion)
	if (err != nil) != (c.Expected.MaskError != "") {
		return fmt.Sprintf("mask error %v, want %q", err, c.Expected.MaskError)
	}
	if err != nil {
		return ""
	}
	predicted, normal, err := redact.Marks(asObject(t, got.Predicted), asObject(t, got.Live), c.SensitiveAnnotion)
	if err != nil {
		return err.Error()
	}
	for what, pair := range map[string][2]*unstructured.Unstructured{
		"desired": {desired, asObject(t, c.Expected.MaskedDesired)}, "live": {live, asObject(t, c.Expected.MaskedLive)},
		"predicted": {predicted, asObject(t, c.Expected.MaskedPredict)}, "normalized": {normal, asObject(t, c.Expected.MaskedNormal)},
	} {
		if diff := cmp.Diff(pair[1], pair[0]); diff != "" {
			return fmt.Sprintf("masked %s (-want +got):\n%s", what, diff)
		}
	}
	return ""
}
