package rbac_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/auth/rbac"
	"github.com/causeway-gitops/causeway/test/deviation"
)

const conformanceFolder = "../../../../shared/conformance/rbac"

// conformanceCases is how many cases were recorded. It only goes up.
const conformanceCases = 134

type conformanceCase struct {
	Name     string                `json:"name"`
	Data     map[string]string     `json:"argocdRBACCM"`
	Projects []v1alpha1.AppProject `json:"projects"`
	Claims   rbac.Claims           `json:"claims"`
	Requests []string              `json:"requests"`

	Expected struct {
		Results []struct {
			Request string `json:"request"`
			Allowed bool   `json:"allowed"`
		} `json:"results"`
		LoadError string `json:"loadError"`
	} `json:"expected"`
}

func TestConformanceRBAC(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(conformanceFolder, "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		deviation.Missing(t, "shared/conformance/rbac")
	}
	tally := deviation.New(t)
	for _, file := range files {
		for _, c := range readCases(t, file) {
			tally.Case(t, c.Name, disagreement(&c))
		}
	}
	tally.End(t, conformanceCases)
}

// disagreement is empty when a case agrees.
func disagreement(c *conformanceCase) string {
	policy, err := rbac.Load(c.Data)
	if err != nil || c.Expected.LoadError != "" {
		if (err != nil) != (c.Expected.LoadError != "") {
			return fmt.Sprintf("want load error %q, got %v", c.Expected.LoadError, err)
		}
		return ""
	}
	var differences []string
	for i, text := range c.Requests {
		r := request(text)
		want := c.Expected.Results[i].Allowed
		if got, err := policy.Allowed(c.Claims, byName(c.Projects), r); got != want {
			differences = append(differences, fmt.Sprintf("%s: want %v, got %v (%v)", text, want, got, err))
		}
	}
	return strings.Join(differences, "\n")
}

// request reads "resource, action, object".
func request(text string) rbac.Request {
	parts := strings.SplitN(text, ", ", 3)
	return rbac.Request{Resource: parts[0], Action: parts[1], Object: parts[2]}
}

// byName finds projects in a list.
type byName []v1alpha1.AppProject

func (p byName) Project(name string) *v1alpha1.AppProject {
	for i := range p {
		if p[i].Name == name {
			return &p[i]
		}
	}
	return nil
}

func readCases(t *testing.T, file string) []conformanceCase {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out []conformanceCase
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	for {
		var document map[string]any
		if err := decoder.Decode(&document); errors.Is(err, io.EOF) {
			return out
		} else if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(document)
		if err != nil {
			t.Fatal(err)
		}
		var c conformanceCase
		if err := json.Unmarshal(text, &c); err != nil {
			t.Fatal(err)
		}
		out = append(out, c)
	}
}
