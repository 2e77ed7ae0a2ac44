package sops_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"filippo.io/age"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render"
	"github.com/causeway-gitops/causeway/internal/render/directory"
	"github.com/causeway-gitops/causeway/internal/render/helm"
	"github.com/causeway-gitops/causeway/internal/render/kustomize"
	"github.com/causeway-gitops/causeway/internal/render/record"
	"github.com/causeway-gitops/causeway/internal/render/sops"
	"github.com/causeway-gitops/causeway/internal/render/treetest"
)

func repository(t *testing.T, to age.Recipient) treetest.Files {
	t.Helper()
	return treetest.Files{
		"plain/a.yaml":            sops.Sealed(t, "a.yaml", to, "apiVersion", "v1", "kind", "Secret", "metadata.name", "s", "stringData.password", "hunter2"),
		"kust/kustomization.yaml": "secretGenerator:\n- name: s\n  envs: [a.env]\ngeneratorOptions: {disableNameSuffixHash: true}\n",
		"kust/a.env":              sops.Sealed(t, "a.env", to, "password", "hunter2"),
		"chart/Chart.yaml":        "apiVersion: v2\nname: c\nversion: 1.0.0\n",
		"chart/secrets.yaml":      sops.Sealed(t, "a.yaml", to, "db.password", "hunter2"),
		"chart/templates/cm.yaml": "kind: ConfigMap\napiVersion: v1\nmetadata: {name: s}\ndata: {password: {{ .Values.db.password | quote }}}\n",
		"jsonnet/x.jsonnet":       "{apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: 's'}, data: {password: (import 'a.json').db.password}}",
		"jsonnet/a.json":          sops.Sealed(t, "a.json", to, "db.password", "hunter2"),
	}
}

func application(path string) *v1alpha1.Application {
	src := v1alpha1.ApplicationSource{RepoURL: "r", Path: path}
	if path == "chart" {
		src.Helm = &v1alpha1.ApplicationSourceHelm{ValueFiles: []string{"secrets.yaml"}}
	}
	if path == "jsonnet" {
		src.Directory = &v1alpha1.ApplicationSourceDirectory{Include: "*.jsonnet"}
	}
	return &v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Name: path, Namespace: "n"}, Spec: v1alpha1.ApplicationSpec{Source: &src}}
}

func renderer(d record.Decrypter, s render.Store) *render.Renderer {
	return render.New(render.Options{Decrypt: d, Store: s}, directory.Renderer{}, helm.New(helm.Options{}), kustomize.New(kustomize.Options{}))
}

// shelf remembers what it is given.
type shelf struct{ saved [][]byte }

func (s *shelf) Load([32]byte) [][]byte    { return nil }
func (s *shelf) Save(_ [32]byte, b []byte) { s.saved = append(s.saved, b) }

// TestRenderers tells that each type of source reads encrypted files: in
// plain with a key, and as they are, with a warning, without one. Neither is
// kept on disk.
func TestRenderers(t *testing.T) {
	id, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	keys, err := sops.ParseKeys(id.String())
	if err != nil {
		t.Fatal(err)
	}
	s := treetest.Snapshot("r", "1", repository(t, id.Recipient()))
	for _, path := range []string{"plain", "kust", "chart", "jsonnet"} {
		t.Run(path, func(t *testing.T) {
			in := render.Input{App: application(path), Snapshots: []*gitops.Snapshot{s}}
			disk := &shelf{}
			got, err := renderer(keys, disk).Application(t.Context(), in)
			if err != nil {
				t.Fatal(err)
			}
			text, _ := json.Marshal(got.Manifests[0].Object.Object)
			if !strings.Contains(string(text), "hunter2") && !strings.Contains(string(text), "aHVudGVyMg==") || strings.Contains(string(text), "ENC[") || strings.Contains(string(text), "sops") {
				t.Errorf("got %s", text)
			}
			if len(got.Warnings) > 0 {
				t.Errorf("warnings %v", got.Warnings)
			}
			got, err = renderer(nil, disk).Application(t.Context(), in)
			if err != nil {
				t.Fatal(err)
			}
			if text := fmt.Sprint(got.Warnings); !strings.Contains(text, "Encrypted") || !strings.Contains(text, id.Recipient().String()) {
				t.Errorf("warnings %v", got.Warnings)
			}
			if len(disk.saved) > 0 {
				t.Error("a secret is kept on disk")
			}
		})
	}
}

// TestHidden tells that decrypted values are not in what goes to people, and
// that who shows manifests knows them.
func TestHidden(t *testing.T) {
	id, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	keys, err := sops.ParseKeys(id.String())
	if err != nil {
		t.Fatal(err)
	}
	files := repository(t, id.Recipient())
	in := render.Input{App: application("chart"), Snapshots: []*gitops.Snapshot{treetest.Snapshot("r", "1", files)}}
	r := renderer(keys, nil)
	for range 2 { // the second comes out of the memory
		got, err := r.Application(t.Context(), in)
		if err != nil || !slices.Contains(got.Hidden, "hunter2") || !slices.Contains(got.Hidden, "aHVudGVyMg==") {
			t.Fatalf("got %v, %v", got, err)
		}
		for _, m := range got.Manifests {
			if !slices.Equal(m.Hidden, got.Hidden) {
				t.Errorf("who tells of %s does not know what was decrypted for it", m.Key())
			}
		}
	}
	for _, call := range []string{"fail (printf \"bad %s\" .Values.db.password)", "fail (.Values.db.password | b64enc)", "toYaml .Values.db | fail", "int .Values.db.password.x"} {
		files["chart/templates/cm.yaml"] = "{{ " + call + " }}"
		in.Snapshots[0] = treetest.Snapshot("r", "1", files)
		_, err = renderer(keys, nil).Application(t.Context(), in)
		var p *gitops.Problem
		if !errors.As(err, &p) || strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), "aHVudGVyMg==") {
			t.Errorf("%s: got %v", call, err)
		}
		if strings.HasPrefix(call, "fail") && !strings.Contains(err.Error(), "[masked]") {
			t.Errorf("%s: got %v", call, err)
		}
	}
}

// TestValues tells that explained values show no secret.
func TestValues(t *testing.T) {
	id, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	keys, err := sops.ParseKeys(id.String())
	if err != nil {
		t.Fatal(err)
	}
	s := treetest.Snapshot("r", "1", repository(t, id.Recipient()))
	got, err := renderer(keys, nil).Values(t.Context(), render.Input{App: application("chart"), Snapshots: []*gitops.Snapshot{s}})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(fmt.Sprint(got), "hunter2") {
		t.Errorf("got %v", got)
	}
}

// TestOpen tells that an opened file is decrypted as a read one is.
func TestOpen(t *testing.T) {
	id, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	keys, err := sops.ParseKeys(id.String())
	if err != nil {
		t.Fatal(err)
	}
	tree := record.Wrap(t.Context(), treetest.Snapshot("r", "1", repository(t, id.Recipient())), record.Limits{}).Decrypting(keys)
	f, err := tree.Open("plain/a.yaml")
	if err != nil {
		t.Fatal(err)
	}
	text := make([]byte, 1<<10)
	n, _ := f.Read(text)
	if !strings.Contains(string(text[:n]), "hunter2") || !tree.Secret() {
		t.Errorf("got %s", text[:n])
	}
	if info, err := f.Stat(); err != nil || info.Name() != "a.yaml" || f.Close() != nil {
		t.Errorf("got %v, %v", info, err)
	}
}
