package estate

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/server/api"
	"github.com/causeway-gitops/causeway/internal/store/audit"
)

// Argo CD deletes the Secrets that it made, and leaves others without a label.
const (
	managedByKey  = "managed-by"
	managedByArgo = "argocd.argoproj.io"
)

// Put implements api.Repositories.
func (r *Repositories) Put(ctx context.Context, u *auth.User, old *api.Repository, want api.RepositoryWish) (*api.Repository, error) {
	before, err := r.stored(ctx, old)
	if err != nil {
		return nil, err
	}
	s, err := r.fitting(ctx, before, &want)
	if err != nil {
		return nil, err
	}
	shown := gitops.PublicAddress(want.URL)
	e := &audit.Entry{Resource: "repositories", Project: want.Project, Name: shown, Changes: changesOf(r.public(before, nil), r.public(s, before))}
	if err := r.put(ctx, u, e, "repository "+shown, s); err != nil {
		return nil, err
	}
	out := repositoryOf(s)
	return &out, nil
}

// Remove implements api.Repositories.
func (r *Repositories) Remove(ctx context.Context, u *auth.User, old *api.Repository) error {
	s, err := r.stored(ctx, old)
	if err != nil {
		return err
	}
	e := &audit.Entry{Resource: "repositories", Project: old.Project, Name: old.URL, Changes: changesOf(r.public(s, nil), map[string]any{})}
	return r.remove(ctx, u, e, "repository "+old.URL, s)
}

// stored is the Secret of a repository as it was when somebody's rights were
// asked; nil for none.
func (r *Repositories) stored(ctx context.Context, old *api.Repository) (*corev1.Secret, error) {
	if old == nil {
		return nil, nil //nolint:nilnil // a repository that is new
	}
	return r.secret(ctx, old.ID, old.Version, "repository "+old.URL, isRepository)
}

// fitting is the Secret that is wished for, unless a field does not fit.
func (r *Repositories) fitting(ctx context.Context, before *corev1.Secret, want *api.RepositoryWish) (*corev1.Secret, error) {
	unfit := &api.Unfit{}
	checkRepository(want, unfit)
	if before != nil && (before.Labels[v1alpha1.LabelSecretType] == v1alpha1.SecretTypeRepoCreds) != want.Template {
		unfit.Add("template", "a repository does not become a template of credentials, nor the other way round: make a new one")
	}
	s := r.wished(before, want)
	if before != nil {
		checkMoved(before, s, want, unfit)
	}
	r.checkWay(before, s, unfit)
	if err := unfit.Err(); err != nil {
		return nil, err
	}
	checkSecrets(s, want, unfit)
	if err := r.checkOthers(ctx, s, want, unfit); err != nil {
		return nil, err
	}
	return s, unfit.Err()
}

// wished is a Secret with the fields and secrets of a wish. Keys that the API
// does not know stay.
func (r *Repositories) wished(before *corev1.Secret, want *api.RepositoryWish) *corev1.Secret {
	s := before.DeepCopy()
	if s == nil {
		s = &corev1.Secret{ObjectMeta: metav1.ObjectMeta{
			Namespace: r.Namespace, Name: secretName(want), Annotations: map[string]string{managedByKey: managedByArgo},
			Labels: map[string]string{v1alpha1.LabelSecretType: v1alpha1.SecretTypeRepository},
		}}
		if want.Template {
			s.Labels[v1alpha1.LabelSecretType] = v1alpha1.SecretTypeRepoCreds
		}
	}
	s.ManagedFields = nil // the cache has a part of them, or none: they stay as they are
	if s.Data == nil {
		s.Data = map[string][]byte{}
	}
	for key, value := range map[string]string{
		"url": addressAsked(before, want.URL), "name": want.Name, "project": want.Project, "type": want.Type, "username": want.Username, "noProxy": want.NoProxy,
		"githubAppEnterpriseBaseUrl": want.AppBaseURL, "insecure": flagText(want.Insecure), "insecureIgnoreHostKey": "",
		"forceHttpBasicAuth": flagText(want.ForceBasicAuth), "enableOCI": flagText(want.EnableOCI), "insecureOCIForceHttp": flagText(want.PlainHTTP),
		"depth": numberText(want.Depth), "githubAppID": numberText(want.AppID), "githubAppInstallationID": numberText(want.AppInstall),
	} {
		put(s, key, value)
	}
	for key, value := range secretsOf(&want.Secrets) {
		if value != nil {
			put(s, key, *value)
		}
	}
	return s
}

// addressAsked is the address that a Secret gets: one that is sent back as it
// was shown stays as it is, with what was not shown of it.
func addressAsked(before *corev1.Secret, wanted string) string {
	if before == nil {
		return wanted
	}
	written := string(before.Data["url"])
	if gitops.PublicAddress(strings.TrimSpace(written)) == wanted {
		return written
	}
	return wanted
}

func put(s *corev1.Secret, key, value string) {
	if value == "" {
		delete(s.Data, key)
		return
	}
	s.Data[key] = []byte(value)
}

func flagText(yes bool) string {
	if yes {
		return "true"
	}
	return ""
}

func numberText(n int64) string {
	if n == 0 {
		return ""
	}
	return strconv.FormatInt(n, 10)
}

// secretsOf are the secrets of a wish by their keys; nil for those that stay.
func secretsOf(s *api.RepositorySecrets) map[string]*string {
	return map[string]*string{
		"password": s.Password, "bearerToken": s.BearerToken, "sshPrivateKey": s.SSHKey, "tlsClientCertData": s.TLSCert, "tlsClientCertKey": s.TLSKey,
		"githubAppPrivateKey": s.AppKey, "gcpServiceAccountKey": s.GoogleSecret, "proxy": s.Proxy,
	}
}

// secretName is what the Secret of a new repository is called. Argo CD ends it with
// 32 bits, to which another address is found at once: who may connect one could
// keep that of another project from being connected.
func secretName(want *api.RepositoryWish) string {
	prefix := "repo-"
	if want.Template {
		prefix = "creds-"
	}
	return prefix + digest(want.URL, want.Project)
}

// digest tells texts apart in a name.
func digest(texts ...string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q", texts))
	return hex.EncodeToString(sum[:16])
}
