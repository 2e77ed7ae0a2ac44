package pki

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"net"
	"time"

	"github.com/causeway-gitops/causeway/kube/internal/whole"
)

// Pair is a certificate and its private key, both PEM.
type Pair struct {
	Cert []byte
	Key  []byte
}

// String keeps the private key out of logs.
func (Pair) String() string { return "[redacted]" }

// GoString keeps the private key out of logs that print with %#v.
func (Pair) GoString() string { return "[redacted]" }

// Write stores the pair in two files that only this user can read.
func (p Pair) Write(certFile, keyFile string) error {
	if err := whole.Write(certFile, p.Cert); err != nil {
		return fmt.Errorf("cannot write a certificate: %w", err)
	}
	if err := whole.Write(keyFile, p.Key); err != nil {
		return fmt.Errorf("cannot write a private key: %w", err)
	}
	return nil
}

// Server issues a serving certificate for the hosts, which are DNS names or IP addresses.
func (a *Authority) Server(hosts ...string) (Pair, error) {
	template := &x509.Certificate{
		Subject:     pkix.Name{CommonName: "kube-apiserver"},
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	for _, host := range hosts {
		if ip := net.ParseIP(host); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
			continue
		}
		template.DNSNames = append(template.DNSNames, host)
	}
	return a.issue(template)
}

// Client issues a client certificate: Kubernetes reads the user from its common name and the groups from its organizations.
func (a *Authority) Client(user string, groups ...string) (Pair, error) {
	return a.issue(&x509.Certificate{
		Subject:     pkix.Name{CommonName: user, Organization: groups},
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	})
}

// issue signs a leaf that lives as long as its authority: a kubeconfig stays valid for the life of the cluster.
func (a *Authority) issue(template *x509.Certificate) (Pair, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return Pair{}, fmt.Errorf("cannot make a key for %s: %w", template.Subject.CommonName, err)
	}
	_, certPEM, err := sign(template, a.cert, &key.PublicKey, a.key, time.Until(a.cert.NotAfter))
	if err != nil {
		return Pair{}, err
	}
	keyPEM, err := encodeKey(key)
	if err != nil {
		return Pair{}, err
	}
	return Pair{Cert: certPEM, Key: keyPEM}, nil
}
