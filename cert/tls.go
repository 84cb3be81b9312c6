package cert

import "crypto/tls"

// Config is what every end of ours speaks, with certificates of its own: TLS 1.3, or 1.2 for
// switches and clients that have nothing newer, with forward secrecy and authenticated encryption
// only. CBC is never spoken. The configuration is the caller's.
func Config(own ...tls.Certificate) *tls.Config {
	return &tls.Config{Certificates: own, MinVersion: tls.VersionTLS12, CipherSuites: []uint16{
		tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, tls.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
		tls.TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, tls.TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
		tls.TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, tls.TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
	}} // of TLS 1.2; 1.3 has no others
}
