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

func checkGitHub(h http.Header, body []byte, s Secrets) error {
	return signed(s.GitHub, body, strings.TrimPrefix(h.Get("X-Hub-Signature-256"), "sha256="))
}

// checkGitea takes Gitea's own secret, or GitHub's: Argo CD knows Gitea as
// one that speaks like GitHub.
func checkGitea(h http.Header, body []byte, s Secrets) error {
	secret := s.Gitea
	if len(secret) == 0 {
		secret = s.GitHub
	}
	return signed(secret, body, h.Get("X-Gitea-Signature"))
}

func checkGitLab(h http.Header, _ []byte, s Secrets) error {
	return same(s.GitLab, h.Get("X-Gitlab-Token"))
}

func checkBitbucket(h http.Header, _ []byte, s Secrets) error {
	return same(s.Bitbucket, h.Get("X-Hook-Uuid"))
}

func checkBitbucketServer(h http.Header, body []byte, s Secrets) error {
	return signed(s.BitbucketServer, body, strings.TrimPrefix(h.Get("X-Hub-Signature"), "sha256="))
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
