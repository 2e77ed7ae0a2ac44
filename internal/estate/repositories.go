package estate

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/server/api"
	"github.com/causeway-gitops/causeway/internal/server/session"
	"github.com/causeway-gitops/causeway/internal/source"
)

// Opener opens repositories; a source.Registry is one.
type Opener interface {
	Probe(ctx context.Context, repoURL string, cred source.Credential) (source.Probe, error)
	State(repoURL string, of func(project string) bool) (source.State, bool)
}

// Repositories are the Secrets that describe repositories.
type Repositories struct {
	*Writer

	Opener      Opener
	Credentials *source.Credentials
	// Tries bounds how often somebody may ask a repository.
	Tries *session.Tries
	Now   func() time.Time
}

// secretKeys are the keys of a repository Secret that are never read.
var secretKeys = []string{"password", "bearerToken", "sshPrivateKey", "tlsClientCertData", "tlsClientCertKey", "githubAppPrivateKey", "gcpServiceAccountKey", "proxy"}

func isRepository(o client.Object) bool {
	kind := o.GetLabels()[v1alpha1.LabelSecretType]
	return kind == v1alpha1.SecretTypeRepository || kind == v1alpha1.SecretTypeRepoCreds
}

// All implements api.Repositories.
func (r *Repositories) All(ctx context.Context) ([]api.Repository, error) {
	var list corev1.SecretList
	if err := r.Engine.List(ctx, &list, client.InNamespace(r.Namespace), client.UnsafeDisableDeepCopy); err != nil {
		return nil, fmt.Errorf("cannot list the repositories: %w", err)
	}
	var out []api.Repository
	for i := range list.Items {
		if s := &list.Items[i]; isRepository(s) {
			out = append(out, repositoryOf(s))
		}
	}
	return out, nil
}

// Look implements api.Repositories.
func (r *Repositories) Look(all []api.Repository, may func(one *api.Repository, project string) bool) {
	for i := range all {
		if one := &all[i]; !one.Template {
			r.look(one, func(project string) bool { return may(one, project) })
		}
	}
}

// look adds how the engine's last look for some projects went. What is read for
// another project than that of its Secret is not read as the Secret says.
func (r *Repositories) look(one *api.Repository, may func(project string) bool) {
	state, known := r.Opener.State(one.Written, func(project string) bool {
		return (one.Project == "" || one.Project == project) && may(project)
	})
	if !known {
		return
	}
	if at := state.Looked.UTC().Truncate(time.Second); !state.Looked.IsZero() {
		one.Looked = &at
	}
	if state.Err != nil {
		one.LookProblem = state.Err.Error()
	}
}

// repositoryOf reads what is no secret.
func repositoryOf(s *corev1.Secret) api.Repository {
	text := func(key string) string { return strings.TrimSpace(string(s.Data[key])) }
	flag := func(key string) bool { yes, err := strconv.ParseBool(text(key)); return err == nil && yes }
	number := func(key string) int64 {
		n, err := strconv.ParseInt(text(key), 10, 64)
		if err != nil {
			return 0
		}
		return max(n, 0)
	}
	out := api.Repository{
		RepositoryFields: api.RepositoryFields{
			Template: s.Labels[v1alpha1.LabelSecretType] == v1alpha1.SecretTypeRepoCreds,
			URL:      gitops.PublicAddress(text("url")), Name: text("name"), Project: text("project"), Type: text("type"), Username: text("username"),
			Insecure: flag("insecure") || flag("insecureIgnoreHostKey"), ForceBasicAuth: flag("forceHttpBasicAuth"),
			EnableOCI: flag("enableOCI"), PlainHTTP: flag("insecureOCIForceHttp"), NoProxy: text("noProxy"), Depth: number("depth"),
			AppID: number("githubAppID"), AppInstall: number("githubAppInstallationID"), AppBaseURL: text("githubAppEnterpriseBaseUrl"),
		},
		Written: text("url"), ID: s.Name, Version: s.ResourceVersion, ManagedBy: api.ManagedBy(s), Credentials: []string{}, Can: []string{},
	}
	for _, key := range secretKeys {
		if len(s.Data[key]) > 0 {
			out.Credentials = append(out.Credentials, key)
		}
	}
	if _, err := source.ParseRepository(s); err != nil {
		out.Problem = err.Error()
	}
	return out
}

// public is what the audit is told of a Secret; before is what it was.
func (r *Repositories) public(s, before *corev1.Secret) map[string]any {
	if s == nil {
		return map[string]any{}
	}
	one := repositoryOf(s)
	view := plain(one.RepositoryFields)
	delete(view, "template") // its name in the audit is what it is, not whether
	view["kind"] = s.Labels[v1alpha1.LabelSecretType]
	var old map[string][]byte
	if before != nil {
		old = before.Data
	}
	return secretly(view, secretKeys, s.Data, old)
}
