package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"net/http"
	"strings"
)

// signed checks an HMAC-SHA-256 in hexadecimal digits.
func signed(secret, body []byte, signature string) error {
	if len(secret) == 0 {
		return nil
	}
	got, err := hex.DecodeString(signature)
	if err != nil {
		return errUnsigned
	}
	mac := hmac.New(sha256.New, secret)
	mac.Write(body)
	if !hmac.Equal(mac.Sum(nil), got) {
		return errUnsigned
	}
	return nil
}

// same compares two secrets in constant time; hashing hides their lengths.
func same(secret []byte, got string) error {
	if len(secret) == 0 {
		return nil
	}
	a, b := sha256.Sum256(secret), sha256.Sum256([]byte(got))
	if subtle.ConstantTimeCompare(a[:], b[:]) != 1 {
		return errUnsigned
	}
	return nil
}

// sealed reports whether a header holds what may be a signature, before there is
// anything to check it by.
func sealed(secret []byte, signature string) (signs bool, err error) {
	if len(secret) == 0 {
		return false, nil
	}
	if got, err := hex.DecodeString(signature); err != nil || len(got) != sha256.Size {
		return true, errUnsigned
	}
	return true, nil
}

func knockGitHub(h http.Header, s Secrets) (bool, error) { return sealed(s.GitHub, githubSignature(h)) }

func knockGitea(h http.Header, s Secrets) (bool, error) {
	return sealed(giteaSecret(s), h.Get("X-Gitea-Signature"))
}

func knockBitbucketServer(h http.Header, s Secrets) (bool, error) {
	return sealed(s.BitbucketServer, serverSignature(h))
}

// The others send no signature, but what they know: the headers tell all.

func knockGitLab(h http.Header, s Secrets) (bool, error) {
	return len(s.GitLab) > 0, checkGitLab(h, nil, s)
}

func knockBitbucket(h http.Header, s Secrets) (bool, error) {
	return len(s.Bitbucket) > 0, checkBitbucket(h, nil, s)
}

func knockAzure(h http.Header, s Secrets) (bool, error) {
	return len(s.AzureUser)+len(s.AzurePassword) > 0, checkAzure(h, nil, s)
}

func githubSignature(h http.Header) string {
	return strings.TrimPrefix(h.Get("X-Hub-Signature-256"), "sha256=")
}

func serverSignature(h http.Header) string {
	return strings.TrimPrefix(h.Get("X-Hub-Signature"), "sha256=")
}

// giteaSecret is Gitea's own, or GitHub's: Argo CD knows Gitea as one that
// speaks like GitHub.
func giteaSecret(s Secrets) []byte {
	if len(s.Gitea) == 0 {
		return s.GitHub
	}
	return s.Gitea
}

func checkGitHub(h http.Header, body []byte, s Secrets) error {
	return signed(s.GitHub, body, githubSignature(h))
}

func checkGitea(h http.Header, body []byte, s Secrets) error {
	return signed(giteaSecret(s), body, h.Get("X-Gitea-Signature"))
}

func checkGitLab(h http.Header, _ []byte, s Secrets) error {
	return same(s.GitLab, h.Get("X-Gitlab-Token"))
}

func checkBitbucket(h http.Header, _ []byte, s Secrets) error {
	return same(s.Bitbucket, h.Get("X-Hook-Uuid"))
}

func checkBitbucketServer(h http.Header, body []byte, s Secrets) error {
	return signed(s.BitbucketServer, body, serverSignature(h))
}

// checkAzure takes a name and a password. Hashing both hides which is wrong.
func checkAzure(h http.Header, _ []byte, s Secrets) error {
	if len(s.AzureUser)+len(s.AzurePassword) == 0 {
		return nil
	}
	user, password, ok := (&http.Request{Header: h}).BasicAuth()
	if !ok || errors.Join(same(s.AzureUser, user), same(s.AzurePassword, password)) != nil {
		return errUnsigned
	}
	return nil
}
