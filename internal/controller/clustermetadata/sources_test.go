package clustermetadata

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/bridge"
	"github.com/causeway-gitops/causeway/internal/controller/watched"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// shelf has what values are read from, by kind, namespace and name; asked is what of it was read.
type shelf struct {
	client.WithWatch

	has    map[string]map[string]string
	errs   map[string]error
	mapper meta.RESTMapper
	asked  []string
}

func (s *shelf) RESTMapper() meta.RESTMapper { return s.mapper }

func (s *shelf) Get(_ context.Context, key client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	kind := into.GetObjectKind().GroupVersionKind().Kind
	switch into.(type) {
	case *corev1.Secret:
		kind = "Secret"
	case *corev1.ConfigMap:
		kind = "ConfigMap"
	}
	at := kind + " " + key.String()
	s.asked = append(s.asked, at)
	if err := s.errs[at]; err != nil {
		return err
	}
	found, there := s.has[at]
	if !there {
		return apierrors.NewNotFound(schema.GroupResource{Resource: kind}, key.Name)
	}
	switch into := into.(type) {
	case *corev1.Secret:
		into.Data = map[string][]byte{}
		for k, v := range found {
			into.Data[k] = []byte(v)
		}
	case *corev1.ConfigMap:
		into.Data = found
	case *unstructured.Unstructured:
		for k, v := range found {
			_ = unstructured.SetNestedField(into.Object, v, "spec", k)
		}
	}
	return nil
}

func newShelf() *shelf {
	mapper := meta.NewDefaultRESTMapper(nil)
	mapper.Add(schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Network"}, meta.RESTScopeNamespace)
	mapper.Add(schema.GroupVersionKind{Version: "v1", Kind: "Node"}, meta.RESTScopeRoot)
	var state bytes.Buffer
	w := gzip.NewWriter(&state)
	_, _ = w.Write([]byte(`{"outputs": {"region": {"value": "eu-1", "type": "string"}, "zone": {"value": "a", "type": "string"}}}`))
	_ = w.Close()
	return &shelf{mapper: mapper, errs: map[string]error{}, has: map[string]map[string]string{
		"ConfigMap team/network": {"region": "eu-1", "empty": ""}, "Secret team/login": {"token": "hunter2"}, "Network team/main": {"cidr": "10.0.0.0/8"},
		"Network other/main": {"cidr": "10.1.0.0/8"}, "Node /worker": {"providerID": "aws:///1"}, "Secret team/tfstate-default-vpc": {bridge.StateKey: state.String()},
	}}
}

func field(apiVersion, kind, namespace, name, path string) *causeway.MetadataOrigin {
	return &causeway.MetadataOrigin{Field: &causeway.FieldReference{APIVersion: apiVersion, Kind: kind, Namespace: namespace, Name: name, Path: path}}
}

// Where values come from, and what is said where they cannot be had.
func TestValuesOfTheirSources(t *testing.T) {
	said := "as it is written"
	ofMap := func(name, key string) *causeway.MetadataOrigin {
		return &causeway.MetadataOrigin{ConfigMap: &causeway.KeyReference{Name: name, Key: key}}
	}
	ofSecret := func(key string, reveal bool) *causeway.MetadataOrigin {
		return &causeway.MetadataOrigin{Secret: &causeway.SecretValue{KeyReference: causeway.KeyReference{Name: "login", Key: key}, Reveal: reveal}}
	}
	for name, tc := range map[string]struct {
		reason string
		value  causeway.MetadataValue
		want   string // "!" and words of an error
		gone   bool   // the value is known not to be there
	}{
		"Written":       {"it is in the object itself", causeway.MetadataValue{Value: &said}, said, false},
		"Key":           {"a key of a ConfigMap", causeway.MetadataValue{From: ofMap("network", "region")}, "eu-1", false},
		"Empty":         {"which may be empty", causeway.MetadataValue{From: ofMap("network", "empty")}, "", false},
		"No key":        {"or not there", causeway.MetadataValue{From: ofMap("network", "zone")}, `!ConfigMap network has no key "zone"`, true},
		"No map":        {"as the ConfigMap", causeway.MetadataValue{From: ofMap("none", "zone")}, "!ConfigMap none does not exist", true},
		"Secret":        {"of a Secret it is said where it is, and not what", causeway.MetadataValue{From: ofSecret("token", false)}, "secret://login/token", false},
		"Revealed":      {"unless somebody says that it is none", causeway.MetadataValue{From: ofSecret("token", true)}, "hunter2", false},
		"No secret":     {"nothing refers to what is not there", causeway.MetadataValue{From: ofSecret("none", false)}, `!Secret login has no key "none"`, true},
		"Field":         {"a field of an object of its own namespace", causeway.MetadataValue{From: field("example.com/v1", "Network", "", "main", "spec.cidr")}, "10.0.0.0/8", false},
		"Elsewhere":     {"or of one that is named", causeway.MetadataValue{From: field("example.com/v1", "Network", "other", "main", "spec.cidr")}, "10.1.0.0/8", false},
		"Cluster":       {"what has no namespace is in none, whatever is named", causeway.MetadataValue{From: field("v1", "Node", "team", "worker", "spec.providerID")}, "aws:///1", false},
		"Field of none": {"a kind that the hub does not serve is not there", causeway.MetadataValue{From: field("example.com/v1", "Subnet", "", "main", "spec.cidr")}, "!the hub does not serve the kind Subnet", true},
		"Of a Secret":   {"a Secret is read by no other way", causeway.MetadataValue{From: field("v1", "Secret", "", "login", "data.token")}, "!use from.secret", false},
		"Of what":       {"an apiVersion that is none", causeway.MetadataValue{From: field("a/b/c", "Network", "", "main", "spec.cidr")}, "!cannot read the apiVersion", false},
		"Nothing":       {"neither a value nor a source", causeway.MetadataValue{}, "!set value or from", false},
		"No source":     {"a source that is none", causeway.MetadataValue{From: &causeway.MetadataOrigin{}}, "!set one of configMap", false},
	} {
		t.Run(name, func(t *testing.T) {
			r := &Reconciler{Options: Options{Hub: newShelf()}}
			got, err := r.value(t.Context(), "team", tc.value, &states{read: r.secretData, namespace: "team"})
			if words, fails := strings.CutPrefix(tc.want, "!"); fails {
				if err == nil || !strings.Contains(err.Error(), words) || missing(err) != tc.gone || strings.Contains(err.Error(), "hunter2") {
					t.Errorf("%s: %q, %v; want an error with %q", tc.reason, got, err, words)
				}
				return
			}
			if err != nil || got != tc.want {
				t.Errorf("%s: %q, %v; want %q", tc.reason, got, err, tc.want)
			}
		})
	}
}

// A state is unpacked once for all values of an object, also where it cannot be read.
func TestStatesAreReadOnce(t *testing.T) {
	of := func(workspace, suffix, output string) causeway.TerraformOutput {
		return causeway.TerraformOutput{Workspace: workspace, SecretSuffix: suffix, Output: output}
	}
	hub := newShelf()
	r := &Reconciler{Options: Options{Hub: hub}}
	s := &states{read: r.secretData, namespace: "team"}
	for _, tc := range []struct {
		reason string
		ref    causeway.TerraformOutput
		want   string
		gone   bool
	}{
		{"an output", of("", "vpc", "region"), "eu-1", false},
		{"another one of the same", of("default", "vpc", "zone"), "a", false},
		{"one that it does not have", of("", "vpc", "none"), "", true},
		{"a state that is not there", of("prod", "vpc", "region"), "", true},
		{"the same once more", of("prod", "vpc", "zone"), "", true},
	} {
		if got, err := s.output(t.Context(), tc.ref); got != tc.want || missing(err) != tc.gone || (err != nil) != tc.gone {
			t.Errorf("%s: %q, %v", tc.reason, got, err)
		}
	}
	if diff := cmp.Diff([]string{"Secret team/tfstate-default-vpc", "Secret team/tfstate-prod-vpc"}, hub.asked); diff != "" {
		t.Errorf("read were (-want +got):\n%s", diff)
	}
}

// What values are read from is watched: each object by the name under which it is read,
// and none that is not read.
func TestWhatIsWatchedForValues(t *testing.T) {
	r := &Reconciler{Options: Options{Hub: newShelf()}}
	object := &causeway.ClusterMetadata{}
	object.Namespace = "team"
	said := "x"
	object.Spec.Values = []causeway.MetadataValue{
		{Key: "written", Value: &said},
		{Key: "map", From: &causeway.MetadataOrigin{ConfigMap: &causeway.KeyReference{Name: "network", Key: "region"}}},
		{Key: "secret", From: &causeway.MetadataOrigin{Secret: &causeway.SecretValue{KeyReference: causeway.KeyReference{Name: "login", Key: "token"}}}},
		{Key: "state", From: &causeway.MetadataOrigin{Terraform: &causeway.TerraformOutput{Workspace: "prod", SecretSuffix: "vpc", Output: "region"}}},
		{Key: "field", From: field("example.com/v1", "Network", "other", "main", "spec.cidr")},
		{Key: "node", From: field("v1", "Node", "", "worker", "spec.providerID")},
		{Key: "refused", From: field("v1", "Secret", "", "login", "data.token")},
		{Key: "fact", From: &causeway.MetadataOrigin{Fact: causeway.FactRegion}},
	}
	target := func(group, kind, namespace, name string) watched.Target {
		return watched.Target{Kind: schema.GroupVersionKind{Group: group, Version: "v1", Kind: kind}, Namespace: namespace, Name: name}
	}
	want := []watched.Target{
		target("", "ConfigMap", "team", "network"), target("", "Secret", "team", "login"), target("", "Secret", "team", "tfstate-prod-vpc"),
		target("example.com", "Network", "other", "main"), target("", "Node", "", "worker"),
	}
	if diff := cmp.Diff(want, r.references(object)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if !AsksClusters(object) || AsksClusters(&causeway.ClusterMetadata{Spec: causeway.ClusterMetadataSpec{Values: object.Spec.Values[:7]}}) {
		t.Error("clusters are asked for what they do not tell, or not for what they do")
	}
}

// What is lost is looked for again, the sooner the likelier it is to come; where all is
// there nobody looks for it.
func TestWhenValuesAreLookedAtAgain(t *testing.T) {
	ofMap := func(name string) causeway.MetadataValue {
		return causeway.MetadataValue{Key: name, From: &causeway.MetadataOrigin{ConfigMap: &causeway.KeyReference{Name: name, Key: "region"}}}
	}
	fact := causeway.MetadataValue{Key: "zone", From: &causeway.MetadataOrigin{Fact: causeway.FactZone}}
	for name, tc := range map[string]struct {
		reason string
		values []causeway.MetadataValue
		want   time.Duration
		lost   int
	}{
		"There": {"all is there, and watched", []causeway.MetadataValue{ofMap("network")}, 0, 0},
		"Facts": {"nodes come and go", []causeway.MetadataValue{ofMap("network"), fact}, factPause, 0},
		"Lost":  {"what is lost is looked for more often", []causeway.MetadataValue{fact, ofMap("none")}, lostPause, 1},
		"Torn":  {"a state of which a part is missing is being written", []causeway.MetadataValue{ofMap("none"), {Key: "state", From: &causeway.MetadataOrigin{Terraform: &causeway.TerraformOutput{SecretSuffix: "torn", Output: "region"}}}, fact}, tornPause, 2},
	} {
		t.Run(name, func(t *testing.T) {
			hub := newShelf()
			whole := hub.has["Secret team/tfstate-default-vpc"][bridge.StateKey]
			hub.has["Secret team/tfstate-default-torn"] = map[string]string{bridge.StateKey: whole[:len(whole)/2]}
			object := &causeway.ClusterMetadata{Spec: causeway.ClusterMetadataSpec{Values: tc.values}}
			object.Namespace = "team"
			got := (&Reconciler{Options: Options{Hub: hub, Lost: lostPause}}).values(t.Context(), object)
			if got.again != tc.want || len(got.problems) != tc.lost {
				t.Errorf("%s: again after %s, want %s; %+v", tc.reason, got.again, tc.want, got.problems)
			}
		})
	}
}

// What an API server has against a write is told in words that help, and no longer than
// a status can hold.
func TestRefusalsInWords(t *testing.T) {
	long := strings.Repeat("x", 10*mostSaid)
	secrets := schema.GroupResource{Resource: "secrets"}
	for name, tc := range map[string]struct {
		reason string
		err    error
		want   string
	}{
		"Too large": {"what to do", apierrors.NewRequestEntityTooLargeError(long), "take annotations or labels off it"},
		"Invalid":   {"the same", apierrors.NewInvalid(schema.GroupKind{Kind: "Secret"}, long, nil), "take annotations or labels off it"},
		"Forbidden": {"by whom it may be", apierrors.NewForbidden(secrets, "dev", errors.New(long)), "by admission or the rights of the engine"},
		"Another":   {"as it is said", apierrors.NewBadRequest("denied the request: " + long), "the API server does not take the write: denied the request: x"},
	} {
		if got := refusal(tc.err); !strings.Contains(got, tc.want) || len(got) > 2*mostSaid {
			t.Errorf("%s: %s: told are %d bytes: %.200s", name, tc.reason, len(got), got)
		}
	}
	if err := unread("Secret", "login", apierrors.NewForbidden(secrets, "login", errors.New("no"))); !gitops.IsProblem(err, gitops.Refused) || !strings.Contains(err.Error(), "bridge.sources of the chart") {
		t.Errorf("what may not be read is told as %v", err)
	}
}
