package api

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/causeway-gitops/causeway/internal/gitops/secret"
)

// fieldsOf are secrets by name, without what they are.
func fieldsOf(named map[string]*string, more ...string) string {
	for name, text := range named {
		if text != nil {
			more = append(more, fmt.Sprintf("%s:%q", name, secret.Masked(*text)))
		}
	}
	slices.Sort(more)
	return "{" + strings.Join(more, " ") + "}"
}

// String tells which ones there are.
func (s MemberSecrets) String() string {
	var more []string
	if s.Args != nil {
		more = append(more, fmt.Sprintf("args:%d", len(*s.Args)))
	}
	if s.Env != nil {
		more = append(more, fmt.Sprintf("env:%d", len(*s.Env)))
	}
	return fieldsOf(map[string]*string{
		"password": s.Password, "bearerToken": s.BearerToken, "certData": s.Cert, "keyData": s.Key, "proxyUrl": s.Proxy,
	}, more...)
}

// GoString tells as much.
func (s MemberSecrets) GoString() string { return "api.MemberSecrets" + s.String() }

// LogValue tells as much.
func (s MemberSecrets) LogValue() slog.Value { return slog.StringValue(s.String()) }

// LogValue names a cluster that is wished for: a logger that writes JSON would have its secrets.
func (w MemberWish) LogValue() slog.Value {
	return slog.StringValue(fmt.Sprintf("%+v secrets:%s", w.MemberFields, w.Secrets))
}

// String tells which ones there are.
func (s RepositorySecrets) String() string {
	return fieldsOf(map[string]*string{
		"password": s.Password, "bearerToken": s.BearerToken, "sshPrivateKey": s.SSHKey, "tlsClientCertData": s.TLSCert,
		"tlsClientCertKey": s.TLSKey, "githubAppPrivateKey": s.AppKey, "gcpServiceAccountKey": s.GoogleSecret, "proxy": s.Proxy,
	})
}

// GoString tells as much.
func (s RepositorySecrets) GoString() string { return "api.RepositorySecrets" + s.String() }

// LogValue tells as much.
func (s RepositorySecrets) LogValue() slog.Value { return slog.StringValue(s.String()) }

// LogValue names a repository that is wished for: a logger that writes JSON would have its secrets.
func (w RepositoryWish) LogValue() slog.Value {
	return slog.StringValue(fmt.Sprintf("%+v secrets:%s", w.RepositoryFields, w.Secrets))
}
