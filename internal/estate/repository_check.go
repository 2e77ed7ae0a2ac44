package estate

import (
	"context"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/crypto/ssh"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/server/api"
	"github.com/causeway-gitops/causeway/internal/source"
	"github.com/causeway-gitops/causeway/internal/source/access"
	"github.com/causeway-gitops/causeway/internal/source/address"
)

// checkRepository looks at what a wish says, whatever is stored.
func checkRepository(want *api.RepositoryWish, unfit *api.Unfit) {
	checkAddress(want, unfit)
	for field, text := range map[string]string{"name": want.Name, "project": want.Project, "username": want.Username, "noProxy": want.NoProxy} {
		if strings.ContainsAny(text, "\r\n\x00") {
			unfit.Add(field, "leave out the line break")
		}
	}
	if want.AppBaseURL != "" {
		checkWeb(want.AppBaseURL, "githubAppBaseURL", unfit)
	}
	s := want.Secrets
	if s.Proxy != nil && *s.Proxy != "" {
		checkProxy(*s.Proxy, unfit)
	}
	if s.BearerToken != nil && strings.ContainsAny(strings.TrimSpace(*s.BearerToken), "\r\n") {
		unfit.Add("secrets.bearerToken", "leave out the line break")
	}
}

func checkProxy(text string, unfit *api.Unfit) {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || !slices.Contains([]string{"http", "https", "socks5"}, u.Scheme) {
		unfit.Add("secrets.proxy", "begin it with http://, https:// or socks5://")
	}
}

func checkAddress(want *api.RepositoryWish, unfit *api.Unfit) {
	at, err := address.Parse(want.URL)
	switch {
	case address.OneRepository(want.URL) != nil:
		unfit.Add("url", address.OneRepository(want.URL).Error())
	case err != nil:
		unfit.Add("url", err.Error())
	case at.Password != "":
		unfit.Add("url", "the address has a password in it: write it into the field for it")
	case at.Scheme == "" && want.Type != "oci" && !want.EnableOCI:
		unfit.Add("url", "begin it with https://, or with oci:// for a registry")
	case want.Type == "helm" && !want.EnableOCI && !slices.Contains([]string{"http", "https", "oci"}, at.Scheme):
		unfit.Add("url", "charts come from https:// or oci:// addresses")
	case want.Type == "oci" && at.Scheme != "oci" && at.Scheme != "":
		unfit.Add("url", "begin it with oci://")
	}
}

func checkWeb(text, field string, unfit *api.Unfit) {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || u.User != nil {
		unfit.Add(field, "begin it with https://, and leave out a user")
	}
}

// sendsTo are the keys that say where credentials go, and how well that is checked.
var sendsTo = []string{"url", "githubAppEnterpriseBaseUrl", "insecureOCIForceHttp", "ociTokenHost"}

// checkMoved asks for credentials once more that would go to another place
// than they were stored for: who may change an address may not read them.
func checkMoved(before, after *corev1.Secret, want *api.RepositoryWish, unfit *api.Unfit) {
	old, now := repositoryOf(before), repositoryOf(after)
	moved := now.Insecure && !old.Insecure || string(before.Data["proxy"]) != string(after.Data["proxy"]) && len(after.Data["proxy"]) > 0
	for _, key := range sendsTo {
		moved = moved || string(before.Data[key]) != string(after.Data[key])
	}
	if !moved {
		return
	}
	if now.Written == old.Written && old.Written != old.URL {
		unfit.Add("url", "enter it again as a whole: what is not shown of it was given for another way to it")
	}
	given := secretsOf(&want.Secrets)
	for _, key := range secretKeys {
		if len(before.Data[key]) > 0 && given[key] == nil && key != "tlsClientCertData" {
			unfit.Add("secrets."+key, "enter it again, or take it away: what is stored was given for another address or way to it")
		}
	}
}

// checkSecrets looks at what would be stored, so that what is kept fits what is new.
func checkSecrets(s *corev1.Secret, want *api.RepositoryWish, unfit *api.Unfit) {
	if key := s.Data["sshPrivateKey"]; len(key) > 0 {
		var locked *ssh.PassphraseMissingError
		_, err := ssh.ParsePrivateKey(key)
		switch {
		case errors.As(err, &locked):
			unfit.Add("secrets.sshPrivateKey", "it has a passphrase: use a key without one")
		case err != nil:
			unfit.Add("secrets.sshPrivateKey", "it is no private key in PEM or OpenSSH form")
		}
	}
	cert, key := s.Data["tlsClientCertData"], s.Data["tlsClientCertKey"]
	switch {
	case len(cert) > 0 && len(key) == 0:
		unfit.Add("secrets.tlsClientCertKey", "a client certificate needs its key")
	case len(key) > 0 && len(cert) == 0:
		unfit.Add("secrets.tlsClientCertData", "a key needs its client certificate")
	case len(cert) > 0:
		if _, err := tls.X509KeyPair(cert, key); err != nil {
			unfit.Add("secrets.tlsClientCertData", "the certificate and its key are not in PEM form, or do not belong together")
		}
	}
	if app := s.Data["githubAppPrivateKey"]; len(app) > 0 {
		checkApp(app, want, unfit)
	}
	if len(unfit.Fields) > 0 {
		return
	}
	if _, err := source.ParseRepository(s); err != nil {
		unfit.Add("", err.Error())
	}
}

func checkApp(key []byte, want *api.RepositoryWish, unfit *api.Unfit) {
	if want.AppID == 0 {
		unfit.Add("githubAppID", "a GitHub App needs its id")
	}
	if want.AppInstall == 0 {
		unfit.Add("githubAppInstallationID", "a GitHub App needs the id of its installation")
	}
	if !isRSA(key) {
		unfit.Add("secrets.githubAppPrivateKey", "it is no RSA key in PEM form")
	}
}

func isRSA(text []byte) bool {
	block, _ := pem.Decode(text)
	if block == nil {
		return false
	}
	if _, err := x509.ParsePKCS1PrivateKey(block.Bytes); err == nil {
		return true
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	_, is := key.(*rsa.PrivateKey)
	return err == nil && is
}

// checkOthers looks for a repository of the same address, and for the project.
func (r *Repositories) checkOthers(ctx context.Context, s *corev1.Secret, want *api.RepositoryWish, unfit *api.Unfit) error {
	all, err := r.All(ctx)
	if err != nil {
		return err
	}
	at, _ := access.PlaceOf(string(s.Data["url"]))
	for i := range all {
		other, ok := access.PlaceOf(all[i].Written)
		if ok && all[i].ID != s.Name && all[i].Template == want.Template && all[i].Project == want.Project && other.Key() == at.Key() {
			unfit.Add("url", "there is one with this address already: change that one")
		}
	}
	if want.Project == "" {
		return nil
	}
	err = r.Engine.Get(ctx, client.ObjectKey{Namespace: r.Namespace, Name: want.Project}, &v1alpha1.AppProject{})
	if apierrors.IsNotFound(err) {
		unfit.Add("project", "there is no project of this name")
		return nil
	}
	return err
}
