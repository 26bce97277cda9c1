// What unlock.js needs, as members of the global `age`.
export {Decrypter} from "age-encryption";
export {xchacha20poly1305} from "@noble/ciphers/chacha.js";
