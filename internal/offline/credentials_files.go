package offline

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/hub"
	"github.com/causeway-gitops/causeway/internal/render/document"
	"github.com/causeway-gitops/causeway/internal/source"
)

// Bounds of a folder of repository Secrets.
const (
	maxSecretFiles = 1000
	maxSecretFile  = 1 << 20 // bytes
)

// CredentialsIn reads the repository Secrets, and the ConfigMaps that say which
// hosts to believe, of a YAML file or of a folder with all that is below it.
func CredentialsIn(name string) (*source.Credentials, error) {
	var f secretFiles
	if err := f.walk(name); err != nil {
		return nil, err
	}
	if len(f.secrets) == 0 {
		return nil, gitops.Problemf(gitops.Invalid, "%s has no Secret with the label %s: %s or %s",
			name, v1alpha1.LabelSecretType, v1alpha1.SecretTypeRepository, v1alpha1.SecretTypeRepoCreds).
			Do("label the Secrets, or name the file or folder that has them; `none` opens public repositories alone")
	}
	known, errs := hub.AccessWritten(f.secrets, f.trust)
	return known, errors.Join(errs...)
}

// secretFiles is what files say of repositories.
type secretFiles struct {
	secrets []hub.WrittenSecret
	trust   source.Trust
	count   int
}

func (f *secretFiles) walk(top string) error {
	info, err := os.Stat(top)
	if err != nil {
		return fmt.Errorf("cannot read the repository Secrets: %w", err)
	}
	if !info.IsDir() {
		return f.file(top)
	}
	return filepath.WalkDir(top, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return fmt.Errorf("cannot read the repository Secrets: %w", err)
		}
		if !d.Type().IsRegular() { // links lead elsewhere
			return nil
		}
		switch filepath.Ext(name) {
		case ".yaml", ".yml", ".json":
			return f.file(name)
		}
		return nil
	})
}

func (f *secretFiles) file(name string) error {
	if f.count++; f.count > maxSecretFiles {
		return gitops.Problemf(gitops.Invalid, "there are more than %d files beside %s", maxSecretFiles, name).Do("name a folder that has repository Secrets alone")
	}
	text, err := bounded.File(name, maxSecretFile)
	if err != nil {
		return fmt.Errorf("cannot read the repository Secrets: %w", err)
	}
	if e := document.Check(text); e != nil {
		return gitops.Problemf(gitops.Invalid, "cannot read the repository Secrets: the file is no YAML").At(gitops.Origin{File: name, Line: e.Line}).Do("correct the YAML")
	}
	for _, part := range document.Split(text) {
		if err := f.document(gitops.Origin{File: name, Line: part.Line}, part.Text); err != nil {
			return err
		}
	}
	return nil
}

// writtenObject is as much as tells what a document is.
type writtenObject struct {
	Kind     string `json:"kind"`
	Metadata struct {
		Name   string            `json:"name"`
		Labels map[string]string `json:"labels"`
	} `json:"metadata"`
	SOPS any `json:"sops"`
	// Data is read as what the kind says that it is.
	Data  json.RawMessage   `json:"data"`
	Items []json.RawMessage `json:"items"`
}

func (f *secretFiles) document(at gitops.Origin, text []byte) error {
	var o writtenObject
	if yaml.Unmarshal(text, &o) != nil {
		return nil //nolint:nilerr // an object of another shape, which is none of these
	}
	switch o.Kind {
	case "List", "SecretList", "ConfigMapList":
		for _, item := range o.Items {
			if err := f.document(at, item); err != nil {
				return err
			}
		}
	case "ConfigMap":
		return f.believe(at, o)
	case "Secret":
		return f.secret(at, o, text)
	}
	return nil
}

// believe takes over which hosts a ConfigMap says to believe.
func (f *secretFiles) believe(at gitops.Origin, o writtenObject) error {
	if o.Metadata.Name != hub.KnownHostsMap && o.Metadata.Name != hub.TLSCertsMap {
		return nil
	}
	var data map[string]string
	if len(o.Data) > 0 && json.Unmarshal(o.Data, &data) != nil {
		return gitops.Problemf(gitops.Invalid, "cannot read ConfigMap %s: a value of data is no text", o.Metadata.Name).At(at).Do("write each value as one text")
	}
	switch o.Metadata.Name {
	case hub.KnownHostsMap:
		f.trust.KnownHosts = data[hub.KnownHostsKey]
	case hub.TLSCertsMap:
		f.trust.CAs = data
	}
	return nil
}

// secret never repeats what the decoder says: it may quote a value.
func (f *secretFiles) secret(at gitops.Origin, o writtenObject, text []byte) error {
	switch o.Metadata.Labels[v1alpha1.LabelSecretType] {
	case v1alpha1.SecretTypeRepository, v1alpha1.SecretTypeRepoCreds:
	default:
		return nil
	}
	if o.SOPS != nil {
		return gitops.Problemf(gitops.Invalid, "Secret %s is encrypted by SOPS", o.Metadata.Name).At(at).Do("decrypt it into a folder that is not committed, and name that")
	}
	var s corev1.Secret
	if yaml.Unmarshal(text, &s) != nil {
		return gitops.Problemf(gitops.Invalid, "cannot read Secret %s: a value of data is not encoded in base64, or a field has another type", o.Metadata.Name).At(at).
			Do("correct it, or write plain values under stringData")
	}
	f.secrets = append(f.secrets, hub.WrittenSecret{Secret: s, At: at})
	return nil
}
