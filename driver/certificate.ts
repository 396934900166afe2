// A self-signed certificate for uploads, made at run time.
import { generate } from 'selfsigned'

/** A pair in PEM, line breaks as they are; JSON writes them as backslash-n. */
export const createCertificate = async (): Promise<{ readonly certificate: string; readonly private_key: string }> => {
  const pair = await generate([{ name: 'commonName', value: 'bucket.example.org' }], { keySize: 2048 })
  return { certificate: pair.cert, private_key: pair.private }
}
