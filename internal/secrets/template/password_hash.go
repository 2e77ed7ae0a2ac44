package template

import (
	"crypto/sha1" //nolint:gosec // a format of htpasswd files
	"encoding/base64"

	"golang.org/x/crypto/bcrypt"
)

// passwordHash is bcrypt's, but for the algorithm sha, which old servers read.
func passwordHash(password, algorithm string) (string, error) {
	if algorithm == "sha" {
		sum := sha1.Sum([]byte(password)) //nolint:gosec // as above
		return "{SHA}" + base64.StdEncoding.EncodeToString(sum[:]), nil
	}
	hash, err := bcrypt.GenerateFromPassword([]byte(password), bcrypt.DefaultCost)
	return string(hash), err
}
