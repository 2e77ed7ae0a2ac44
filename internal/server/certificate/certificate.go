// Package certificate has what the server shows of itself by TLS: files that
// are read again when they change, or a certificate of its own making that is
// renewed in time. Where it is kept stands above it.
package certificate

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"time"
)

// Times of a certificate that is made here.
const (
	// Life is within what browsers take at all (398 days).
	Life = 365 * 24 * time.Hour
	// Early is how long before its end it is replaced.
	Early = 60 * 24 * time.Hour
	// skew is how far clocks of others may be behind.
	skew = time.Hour
)

// Pair is a certificate with its key, as PEM.
type Pair struct{ Certificate, Key []byte }

// Make makes a certificate that vouches for itself, for names and addresses.
func Make(hosts []string, now time.Time) (*Pair, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("cannot make a key: %w", err)
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return nil, fmt.Errorf("cannot make a certificate: %w", err)
	}
	template := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: "causeway", Organization: []string{"Causeway"}},
		NotBefore: now.Add(-skew), NotAfter: now.Add(Life), BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	for _, host := range hosts {
		if ip := net.ParseIP(host); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, host)
		}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, fmt.Errorf("cannot make a certificate for %v: %w", hosts, err)
	}
	text, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, fmt.Errorf("cannot encode a key: %w", err)
	}
	return &Pair{
		Certificate: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), Key: pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: text}),
	}, nil
}

// Read reads a pair; what is wrong with one is said without what is in it.
func (p *Pair) Read() (*tls.Certificate, error) {
	c, err := tls.X509KeyPair(p.Certificate, p.Key)
	if err != nil {
		return nil, errors.New("the certificate and its key cannot be read, or do not belong together")
	}
	return &c, nil
}

// Good reports whether a pair can be shown for long enough yet.
func (p *Pair) Good(now time.Time) bool {
	c, err := p.Read()
	return err == nil && now.Before(c.Leaf.NotAfter.Add(-Early)) && !now.Before(c.Leaf.NotBefore)
}
