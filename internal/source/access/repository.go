package access

import (
	"fmt"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/source/address"
)

// The label that marks Secrets as descriptions of repositories, and its
// values that are understood here.
const (
	LabelSecretType = "argocd.argoproj.io/secret-type"
	TypeRepository  = "repository"
	TypeTemplate    = "repo-creds"
)

// Repository is what one Secret says: about one repository, or, as a
// template, about all whose address starts with URL.
type Repository struct {
	// Secret is namespace/name of the Secret, or its name alone.
	Secret string
	// Template is true for repo-creds.
	Template bool
	URL      string
	Name     string
	// Project limits the use to one AppProject; empty means all.
	Project string
	// OwnWay tells that who chose the way to the server may not read templates.
	OwnWay     bool
	Credential Credential
}

// ParseRepository reads a Secret with the label secret-type: repository or
// repo-creds. Errors name the Secret and the key, never a value.
func ParseRepository(secret *corev1.Secret) (Repository, error) {
	f := fields{where: nameOf(secret), secret: secret}
	r := Repository{Secret: f.where, URL: f.text("url"), Name: f.text("name"), Project: f.text("project")}
	r.OwnWay = secret.Annotations[gitops.AnnotationOwnWay] == "true"
	switch kind := secret.Labels[LabelSecretType]; kind {
	case TypeRepository:
	case TypeTemplate:
		r.Template = true
	default:
		return Repository{}, fmt.Errorf("cannot read Secret %s: label %s is %q; set it to %s or %s", f.where, LabelSecretType, kind, TypeRepository, TypeTemplate)
	}
	if _, err := address.Parse(r.URL); err != nil {
		return Repository{}, fmt.Errorf("cannot read Secret %s: key url: %w", f.where, err)
	}
	if err := address.OneRepository(r.URL); err != nil {
		return Repository{}, fmt.Errorf("cannot read Secret %s: key url: %w", f.where, err)
	}
	r.Credential = f.credential()
	if f.err != nil {
		return Repository{}, f.err
	}
	return r, nil
}

// nameOf is namespace/name; a Secret of a file may leave its namespace open.
func nameOf(secret *corev1.Secret) string {
	if secret.Namespace == "" {
		return secret.Name
	}
	return secret.Namespace + "/" + secret.Name
}

// fields reads keys of a Secret and keeps the first error.
type fields struct {
	where  string
	secret *corev1.Secret
	err    error
}

func (f *fields) raw(key string) string {
	if v, ok := f.secret.Data[key]; ok {
		return string(v)
	}
	return f.secret.StringData[key]
}

func (f *fields) text(key string) string { return strings.TrimSpace(f.raw(key)) }

func (f *fields) flag(key string) bool {
	v := f.text(key)
	if v == "" {
		return false
	}
	b, err := strconv.ParseBool(v)
	if err != nil {
		f.fail(key, "is neither true nor false")
	}
	return b
}

func (f *fields) number(key string) int64 {
	v := f.text(key)
	if v == "" {
		return 0
	}
	n, err := strconv.ParseInt(v, 10, 64)
	if err != nil || n < 0 {
		f.fail(key, "is not a number")
	}
	return n
}

func (f *fields) fail(key, what string) {
	if f.err == nil {
		f.err = fmt.Errorf("cannot read Secret %s: key %s %s", f.where, key, what)
	}
}

func (f *fields) credential() Credential {
	c := Credential{
		Username:    f.text("username"),
		Password:    Secret(strings.TrimRight(f.raw("password"), "\r\n")),
		BearerToken: Secret(f.text("bearerToken")),
		SSHKey:      Secret(f.raw("sshPrivateKey")),
		TLSCert:     f.raw("tlsClientCertData"),
		TLSKey:      Secret(f.raw("tlsClientCertKey")),
		Insecure:    f.flag("insecure") || f.flag("insecureIgnoreHostKey"),
		PlainHTTP:   f.flag("insecureOCIForceHttp"),
		TokenHost:   f.text("ociTokenHost"),
		ForceBasic:  f.flag("forceHttpBasicAuth"),
		Proxy:       Secret(f.text("proxy")),

		PassCredentials: f.flag("passCredentials"),
		NoProxy:         f.text("noProxy"),
		Type:            f.text("type"),
		EnableOCI:       f.flag("enableOCI"),
		Depth:           int(f.number("depth")),
	}
	if strings.ContainsAny(c.TokenHost, "/@?# ") {
		f.fail("ociTokenHost", "is no host, such as auth.example.com or auth.example.com:8443")
	}
	switch c.Type {
	case "", "git", "helm", "oci":
	default:
		f.fail("type", "is not one of git, helm and oci")
	}
	if (c.TLSCert == "") != (c.TLSKey == "") {
		f.fail("tlsClientCertData", "and key tlsClientCertKey belong together; set both or none")
	}
	c.App = f.app()
	switch {
	case f.text("gcpServiceAccountKey") != "":
		c.Unsupported = "a Google service account key (gcpServiceAccountKey)"
	case f.flag("useAzureWorkloadIdentity"):
		c.Unsupported = "Azure workload identity (useAzureWorkloadIdentity)"
	}
	return c
}

func (f *fields) app() *App {
	key := f.raw("githubAppPrivateKey")
	if key == "" {
		return nil
	}
	app := &App{
		ID:           f.number("githubAppID"),
		Installation: f.number("githubAppInstallationID"),
		PrivateKey:   Secret(key),
		BaseURL:      strings.TrimRight(f.text("githubAppEnterpriseBaseUrl"), "/"),
	}
	if app.ID == 0 {
		f.fail("githubAppID", "is missing beside githubAppPrivateKey")
	}
	return app
}
