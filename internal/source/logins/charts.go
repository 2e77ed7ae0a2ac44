package logins

import (
	"os"

	"helm.sh/helm/v4/pkg/helmpath"
	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/internal/source/access"
	"github.com/causeway-gitops/causeway/internal/source/address"
)

// repositories is what "helm repo add" writes, as far as it signs in.
type repositories struct {
	Repositories []struct {
		Name     string `json:"name"`
		URL      string `json:"url"`
		Username string `json:"username"`
		Password string `json:"password"`
		CertFile string `json:"certFile"`
		KeyFile  string `json:"keyFile"`
		CAFile   string `json:"caFile"`
		Insecure bool   `json:"insecure_skip_tls_verify"`
	} `json:"repositories"`
}

func (u *User) readCharts() *access.Credentials {
	name := os.Getenv("HELM_REPOSITORY_CONFIG")
	if name == "" {
		name = helmpath.ConfigPath("repositories.yaml")
	}
	var file repositories
	if err := yaml.Unmarshal(u.read(name), &file); err != nil {
		u.log.Warn("cannot read Helm's repositories: the file is no YAML of theirs", "file", name)
	}
	var all []access.Repository
	for _, r := range file.Repositories {
		if _, err := address.Parse(r.URL); err != nil {
			continue
		}
		cred := access.Credential{Username: r.Username, Password: access.Secret(r.Password), Insecure: r.Insecure}
		if r.CertFile != "" && r.KeyFile != "" {
			cred.TLSCert, cred.TLSKey = string(u.read(r.CertFile)), access.Secret(u.read(r.KeyFile))
		}
		if r.CAFile != "" {
			cred.CA = string(u.read(r.CAFile))
		}
		all = append(all, access.Repository{Secret: r.Name, URL: r.URL, Credential: cred})
	}
	known := &access.Credentials{}
	known.Replace(all)
	return known
}
