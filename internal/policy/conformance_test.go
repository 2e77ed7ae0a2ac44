package policy_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/policy"
	"github.com/causeway-gitops/causeway/test/deviation"
)

const projectFolder = "../../../shared/conformance/project"

// projectCases is how many cases were recorded. It only goes up.
const projectCases = 304

type projectCase struct {
	Name string                  `json:"name"`
	Rule string                  `json:"rule"`
	Spec v1alpha1.AppProjectSpec `json:"spec"`

	Source              *string               `json:"source"`
	Destination         *place                `json:"destination"`
	ProjectClusters     []place               `json:"projectClusters"`
	Resource            *named                `json:"resource"`
	LiveResource        *named                `json:"liveResource"`
	Cluster             place                 `json:"cluster"`
	AppNamespace        *string               `json:"appNamespace"`
	ControllerNamespace string                `json:"controllerNamespace"`
	ServiceAccountFor   *v1alpha1.Application `json:"serviceAccountFor"`
	App                 *v1alpha1.Application `json:"app"`
	At                  []time.Time           `json:"at"`
	OperationStartedAt  *time.Time            `json:"operationStartedAt"`
	Validate            bool                  `json:"validate"`

	Expected struct {
		Permitted      bool     `json:"permitted"`
		ServiceAccount string   `json:"serviceAccount"`
		Error          string   `json:"error"`
		Valid          bool     `json:"valid"`
		Matched        []int    `json:"matched"`
		Results        []atTime `json:"results"`
	} `json:"expected"`
}

type place struct {
	Server    string `json:"server"`
	Name      string `json:"name"`
	Namespace string `json:"namespace"`
}

type named struct {
	Group      string `json:"group"`
	Kind       string `json:"kind"`
	Name       string `json:"name"`
	Namespace  string `json:"namespace"`
	Namespaced bool   `json:"namespaced"`
}

type atTime struct {
	Auto   bool   `json:"auto"`
	Manual bool   `json:"manual"`
	Active []int  `json:"active"`
	Error  string `json:"error"`
}

func TestProjectConformance(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(projectFolder, "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		deviation.Missing(t, "shared/conformance/project")
	}
	tally := deviation.New(t)
	for _, file := range files {
		for _, c := range readCases(t, file) {
			tally.Case(t, c.Name, disagreement(&c))
		}
	}
	tally.End(t, projectCases)
}

// disagreement is empty when a case agrees.
func disagreement(c *projectCase) string {
	p := &v1alpha1.AppProject{Spec: c.Spec}
	p.Name = "team"
	var err error
	switch {
	case c.Source != nil:
		err = policy.Source(p, at(*c.Source))
	case c.Destination != nil:
		err = policy.Destination(p, policy.Target(*c.Destination), clusters(c.ProjectClusters))
	case c.Resource != nil:
		err = policy.Resource(p, gitops.Key{Group: c.Resource.Group, Kind: c.Resource.Kind, Name: c.Resource.Name}, c.Resource.Namespaced)
	case c.LiveResource != nil:
		r := c.LiveResource
		err = policy.Live(p, gitops.Key{Group: r.Group, Kind: r.Kind, Namespace: r.Namespace, Name: r.Name}, policy.Target(c.Cluster), nil)
	case c.AppNamespace != nil:
		err = policy.Namespace(p, *c.AppNamespace, c.ControllerNamespace)
	case c.ServiceAccountFor != nil:
		return accounts(c, p)
	case c.Validate:
		if err := policy.Validate(p); (err == nil) != c.Expected.Valid {
			return fmt.Sprintf("want valid %v (%s), got %v", c.Expected.Valid, c.Expected.Error, err)
		}
		return ""
	default:
		return windows(c, p)
	}
	if (err == nil) != c.Expected.Permitted {
		return fmt.Sprintf("want permitted %v, got %v", c.Expected.Permitted, err)
	}
	return ""
}

func clusters(places []place) []gitops.Cluster {
	var out []gitops.Cluster
	for _, p := range places {
		out = append(out, gitops.Cluster{Server: p.Server, Name: p.Name})
	}
	return out
}

func accounts(c *projectCase, p *v1alpha1.AppProject) string {
	d := c.ServiceAccountFor.Spec.Destination
	got, err := policy.ServiceAccount(p, policy.Target{Server: d.Server, Name: d.Name, Namespace: d.Namespace}, c.ServiceAccountFor.Namespace)
	if got != c.Expected.ServiceAccount || (err != nil) != (c.Expected.Error != "") {
		return fmt.Sprintf("want %q (%s), got %q (%v)", c.Expected.ServiceAccount, c.Expected.Error, got, err)
	}
	return ""
}

func windows(c *projectCase, p *v1alpha1.AppProject) string {
	matched := policy.WindowsFor(p, c.App)
	if fmt.Sprint(matched) != fmt.Sprint(c.Expected.Matched) {
		return fmt.Sprintf("want windows %v to match, got %v", c.Expected.Matched, matched)
	}
	var started time.Time
	if c.OperationStartedAt != nil {
		started = *c.OperationStartedAt
	}
	for i, at := range c.At {
		w, err := policy.At(p, c.App, at, started)
		want := c.Expected.Results[i]
		got := atTime{Auto: w.Auto == nil && err == nil, Manual: w.Manual == nil && err == nil, Active: w.Active}
		if (err != nil) != (want.Error != "") {
			return fmt.Sprintf("at %s: want error %q, got %v", at, want.Error, err)
		}
		want.Error = ""
		if len(got.Active)+len(want.Active) == 0 {
			got.Active, want.Active = nil, nil
		}
		if !reflect.DeepEqual(got, want) {
			return fmt.Sprintf("at %s: want %+v, got %+v", at, want, got)
		}
	}
	return ""
}

func readCases(t *testing.T, file string) []projectCase {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out []projectCase
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	for {
		var document map[string]any
		if err := decoder.Decode(&document); errors.Is(err, io.EOF) {
			return out
		} else if err != nil {
			t.Fatal(err)
		}
		if document == nil {
			continue
		}
		text, err := json.Marshal(document)
		if err != nil {
			t.Fatal(err)
		}
		var c projectCase
		if err := json.Unmarshal(text, &c); err != nil {
			t.Fatal(err)
		}
		out = append(out, c)
	}
}
