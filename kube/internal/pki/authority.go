// Package pki makes the certificates and keys of one embedded cluster: an authority of its own, serving and client
// certificates signed by it, and the key that signs service account tokens.
//
// The authority and the token key are kept in the cluster's folder; everything else is issued again at every start,
// so that nothing a restart depends on can expire. The package revokes nothing and renews nothing while running.
package pki

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"time"

	"github.com/causeway-gitops/causeway/kube/internal/whole"
)

const (
	authorityLife = 10 * 365 * 24 * time.Hour
	// clockSkew lets a client whose clock is a little behind accept a certificate made a moment ago.
	clockSkew = 5 * time.Minute
)

// Authority signs the certificates of one cluster.
type Authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	pem  []byte
}

// PEM returns the authority's certificate, which clients trust.
func (a *Authority) PEM() []byte { return a.pem }

// LoadOrCreate reads the authority kept in dir (ca.crt, ca.key), or makes one there.
func LoadOrCreate(dir string) (*Authority, error) {
	a, err := load(dir)
	if errors.Is(err, os.ErrNotExist) {
		return create(dir)
	}
	return a, err
}

func load(dir string) (*Authority, error) {
	certPEM, err := whole.Read(filepath.Join(dir, "ca.crt"))
	if err != nil {
		return nil, fmt.Errorf("cannot read the cluster's certificate authority: %w", err)
	}
	keyPEM, err := whole.Read(filepath.Join(dir, "ca.key"))
	if err != nil {
		return nil, fmt.Errorf("cannot read the key of the cluster's certificate authority: %w", err)
	}
	cert, err := decodeCertificate(certPEM)
	if err != nil {
		return nil, fmt.Errorf("cannot use %s: %w", filepath.Join(dir, "ca.crt"), err)
	}
	key, err := decodeKey(keyPEM)
	if err != nil {
		return nil, fmt.Errorf("cannot use %s: %w", filepath.Join(dir, "ca.key"), err)
	}
	if time.Now().After(cert.NotAfter) {
		return nil, fmt.Errorf("the certificate authority in %s expired on %s: remove ca.crt and ca.key there, then start again",
			dir, cert.NotAfter.Format(time.DateOnly))
	}
	return &Authority{cert: cert, key: key, pem: certPEM}, nil
}

func create(dir string) (*Authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("cannot make a key for the certificate authority: %w", err)
	}
	template := &x509.Certificate{
		Subject:               pkix.Name{CommonName: "causeway-kube"},
		IsCA:                  true,
		BasicConstraintsValid: true,
		KeyUsage:              x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	cert, certPEM, err := sign(template, template, &key.PublicKey, key, authorityLife)
	if err != nil {
		return nil, err
	}
	keyPEM, err := encodeKey(key)
	if err != nil {
		return nil, err
	}
	// The key first: a crash between the two leaves no certificate, and the next start makes both anew.
	if err := whole.Write(filepath.Join(dir, "ca.key"), keyPEM); err != nil {
		return nil, fmt.Errorf("cannot keep the key of the certificate authority: %w", err)
	}
	if err := whole.Write(filepath.Join(dir, "ca.crt"), certPEM); err != nil {
		return nil, fmt.Errorf("cannot keep the certificate authority: %w", err)
	}
	return &Authority{cert: cert, key: key, pem: certPEM}, nil
}

// sign fills in serial number and validity, then signs template with the parent's key.
func sign(template, parent *x509.Certificate, public *ecdsa.PublicKey, signer *ecdsa.PrivateKey, life time.Duration) (*x509.Certificate, []byte, error) {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return nil, nil, fmt.Errorf("cannot make a serial number: %w", err)
	}
	now := time.Now()
	template.SerialNumber = serial
	template.NotBefore = now.Add(-clockSkew)
	template.NotAfter = now.Add(life)
	der, err := x509.CreateCertificate(rand.Reader, template, parent, public, signer)
	if err != nil {
		return nil, nil, fmt.Errorf("cannot sign the certificate of %s: %w", template.Subject.CommonName, err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, nil, fmt.Errorf("cannot read back the certificate of %s: %w", template.Subject.CommonName, err)
	}
	return cert, encodeCertificate(der), nil
}
