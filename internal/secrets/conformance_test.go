package secrets_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/secrets/compute"
	"github.com/causeway-gitops/causeway/internal/secrets/entry"
	"github.com/causeway-gitops/causeway/internal/secrets/key"
	"github.com/causeway-gitops/causeway/internal/secrets/provider"
	"github.com/causeway-gitops/causeway/internal/secrets/provider/fake"
	"github.com/causeway-gitops/causeway/internal/secrets/rewrite"
	"github.com/causeway-gitops/causeway/internal/secrets/template"
	"github.com/causeway-gitops/causeway/internal/secrets/value"
	"github.com/causeway-gitops/causeway/test/deviation"
)

// recorded is how many cases there are; the number only goes up.
const recorded = 377

// given is one case: see the README of the conformance data.
type given struct {
	Name     string `json:"name"`
	Function string `json:"function"`

	Template              map[string]string     `json:"template"`
	Scope                 esv1.TemplateScope    `json:"scope"`
	Target                string                `json:"target"`
	ValueDecodingStrategy esv1.DecodingStrategy `json:"valueDecodingStrategy"`
	Object                map[string]any        `json:"object"`
	Rewrite               []esv1.Rewrite        `json:"rewrite"`
	Strategy              string                `json:"strategy"`
	JSON                  string                `json:"json"`
	Key                   string                `json:"key"`
	Store                 []fake.Datum          `json:"store"`
	RemoteRef             esv1.RemoteRef        `json:"remoteRef"`
	Find                  esv1.Find             `json:"find"`
	JSONPath              string                `json:"jsonPath"`
	Body                  string                `json:"body"`

	texts
	Expected outcome `json:"expected"`
}

// texts are a map with values that may be no UTF-8.
type texts struct {
	Data       map[string]string `json:"data"`
	DataBase64 map[string][]byte `json:"dataBase64"`
}

func (t texts) bytes() map[string][]byte {
	out := map[string][]byte{}
	maps.Copy(out, t.DataBase64)
	for name, text := range t.Data {
		out[name] = []byte(text)
	}
	return out
}

// outcome is what came of a case.
type outcome struct {
	texts

	Error       string            `json:"error"`
	Value       *string           `json:"value"`
	ValueBase64 []byte            `json:"valueBase64"`
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations"`
	Type        string            `json:"type"`
	Object      map[string]any    `json:"object"`
}

// result is what is compared.
type result struct {
	Data                map[string][]byte
	Value               []byte
	Labels, Annotations map[string]string
	Type                string
	Object              map[string]any
}

func (o outcome) result() result {
	r := result{Labels: o.Labels, Annotations: o.Annotations, Type: o.Type, Object: plain(o.Object), Value: o.ValueBase64}
	if o.Value != nil {
		r.Value = []byte(*o.Value)
	}
	if o.Data != nil || o.DataBase64 != nil {
		r.Data = o.bytes()
	}
	return r
}

func TestSecretsConformance(t *testing.T) {
	tally := deviation.New(t)
	for _, c := range cases(t) {
		tally.Case(t, c.Name, difference(c))
	}
	tally.End(t, recorded)
}

func difference(c given) string {
	got, err := c.run()
	switch {
	case c.Expected.Error != "" && err == nil:
		return fmt.Sprintf("no error, want %q", c.Expected.Error)
	case c.Expected.Error != "":
		return ""
	case err != nil:
		return err.Error()
	}
	return cmp.Diff(c.Expected.result(), got)
}

func (c given) run() (result, error) {
	switch c.Function {
	case "template":
		return c.template()
	case "rewrite":
		return asData(rewrite.Apply(c.Rewrite, c.bytes()))
	case "convertKeys":
		return asData(key.Convert(esv1.ConversionStrategy(c.Strategy), c.bytes()))
	case "reverseKeys":
		return asData(key.Reverse(c.Strategy, c.bytes()))
	case "validateKeys":
		return asData(c.bytes(), key.Validate(c.bytes()))
	case "decode":
		return asData(value.DecodeAll(esv1.DecodingStrategy(c.Strategy), c.bytes()))
	case "valueOfKey":
		return c.valueOfKey()
	case "jsonToData":
		return asData(value.Fields([]byte(c.JSON)))
	default:
		return c.provider()
	}
}

func (c given) template() (result, error) {
	secret := c.Object == nil || c.Object["kind"] == "Secret"
	object := &unstructured.Unstructured{Object: c.Object}
	if c.Object == nil {
		object.Object = map[string]any{"apiVersion": "v1", "kind": "Secret"}
	}
	request := template.Request{Templates: c.Template, Scope: c.Scope, Target: c.Target, Decoding: c.ValueDecodingStrategy}
	if err := template.Apply(request, c.bytes(), object); err != nil {
		return result{}, err
	}
	if !secret {
		return result{Object: plain(object.Object)}, nil
	}
	out := result{Data: map[string][]byte{}, Labels: object.GetLabels(), Annotations: object.GetAnnotations()}
	out.Type, _, _ = unstructured.NestedString(object.Object, "type")
	encoded, _, err := unstructured.NestedStringMap(object.Object, "data")
	for name, text := range encoded {
		decoded, wrong := base64.StdEncoding.DecodeString(text)
		out.Data[name], err = decoded, errors.Join(err, wrong)
	}
	return out, err
}

// plain is an object as JSON has it, without empty labels and annotations.
func plain(object map[string]any) map[string]any {
	if object == nil {
		return nil
	}
	text, err := yaml.Marshal(object)
	if err != nil {
		return nil
	}
	var out map[string]any
	if yaml.Unmarshal(text, &out) != nil {
		return nil
	}
	metadata, _ := out["metadata"].(map[string]any)
	for _, name := range []string{"labels", "annotations"} {
		if m, ok := metadata[name].(map[string]any); ok && len(m) == 0 {
			delete(metadata, name)
		}
	}
	return out
}

func (c given) valueOfKey() (result, error) {
	var object map[string]any
	if err := yaml.Unmarshal([]byte(c.JSON), &object); err != nil {
		return result{}, err
	}
	return asValue(value.OfField(object, c.Key))
}

func (c given) provider() (result, error) {
	ref := provider.Ref{Key: c.RemoteRef.Key, Version: c.RemoteRef.Version, Property: c.RemoteRef.Property}
	store := fake.New(fake.Config{Data: c.Store})
	if c.Function == "fake.getAllSecrets" {
		found, err := store.Find(context.Background(), c.Find)
		if err != nil {
			return result{}, err
		}
		return asData(key.Convert(c.Find.ConversionStrategy, found))
	}
	var read entry.Entry
	var err error
	family, method, _ := strings.Cut(c.Function, ".")
	switch family {
	case "fake":
		read, err = store.Read(context.Background(), ref)
	case "webhook":
		var path string
		path, err = c.path(ref)
		read = entry.Answer([]byte(c.Body), path)
	default:
		err = fmt.Errorf("unknown function %s", c.Function)
	}
	if err != nil {
		return result{}, err
	}
	if method == "getSecretMap" {
		return asData(read.Map(ref.Property))
	}
	return asValue(read.Value(ref.Property))
}

// path is the JSONPath that a store's template gives.
func (c given) path(ref provider.Ref) (string, error) {
	values := map[string]any{"remoteRef": map[string]any{"key": ref.Key, "property": ref.Property, "version": ref.Version}}
	texts, err := compute.NewPool().Texts(context.Background(), map[string]string{"result.jsonPath": c.JSONPath}, values)
	return texts["result.jsonPath"], err
}

func asData(data map[string][]byte, err error) (result, error) {
	if err == nil && data == nil {
		data = map[string][]byte{}
	}
	return result{Data: data}, err
}

func asValue(text []byte, err error) (result, error) { return result{Value: text}, err }

func cases(t *testing.T) []given {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", "..", "shared", "conformance", "secrets", "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no conformance data: %v", err)
	}
	var all []given
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, parse(t, text)...)
	}
	return all
}

func parse(t *testing.T, text []byte) []given {
	t.Helper()
	var all []given
	reader := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(text)))
	for {
		document, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		var c given
		if err := yaml.Unmarshal(document, &c); err != nil {
			t.Fatalf("%v\n%s", err, document)
		}
		if c.Name != "" {
			all = append(all, c)
		}
	}
}
