#include <gtest/gtest.h>

#include "leasebox/core/error.hpp"
#include "leasebox/http/signature.hpp"

namespace leasebox::http {
namespace {

constexpr std::int64_t signed_at = 1614265330;
const std::string secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const std::string other_secret = "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
const std::string private_key =
    "whsk_6Xb/dCcHpPea21PS1N9VY/NZW723CEc77N4rJCubMbfVKIDij2HKpMKkioLlX0dRqSKJp4AJ6p9lMicMFs6Kvg==";
const std::string public_key = "whpk_1SiA4o9hyqTCpIqC5V9HUakiiaeACeqfZTInDBbOir4=";
const std::string id = "msg_p5jXN8AQM9LWM0D4loKWxJek";
const std::string body = R"({"test": 2432232314})";
const std::string hmac_signature = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
const std::string ed25519_signature =
    "v1a,hnO3f9T8Ytu9HwrXslvumlUpqtNVqkhqw/enGzPCXe5BdqzCInXqYXFymVJaA7AZdpXwVLPo3mNl8EM+m7TBAg==";

std::string sign_with(const std::vector<std::string>& secrets, std::string_view what) {
    return signer(secrets).sign(id, signed_at, what);
}

signature_check check_with(const std::string& key, const std::string& signature,
                           std::int64_t now_s = signed_at) {
    signature_headers headers;
    headers.id = id;
    headers.timestamp = "1614265330";
    headers.signature = signature;
    return verifier({key}).check(headers, body, now_s);
}

TEST(signature, the_official_vectors) {
    EXPECT_EQ(sign_with({secret}, body), hmac_signature);
    EXPECT_EQ(sign_with({private_key}, body), ed25519_signature);
}

TEST(signature, any_bytes_are_signed_as_they_are) {
    using namespace std::string_view_literals;
    EXPECT_EQ(sign_with({secret}, ""), "v1,v48jdbgvh29KJz2Qc+ghw8G6vG3nAKnujWBg8oM/62A=");
    EXPECT_EQ(sign_with({secret}, "\xC3\xA9"), "v1,33NnPesSqSx5bkOyWIuYuciSjlcmmkZKhT0k+G4fWbs=");
    EXPECT_EQ(sign_with({secret}, "\0\xFF"sv), "v1,2ZN/JXJA1xOpvYyrZUne/sofOKic6UG+jDh7CAgE1Z8=");
    EXPECT_EQ(sign_with({secret}, "\0\xFF\0"sv), "v1,g0PkpG+8jEsK/s5/i51MYIJDZmnmsNAbAZsdcI+0/Ro=");
    EXPECT_EQ(sign_with({secret}, R"({"t":"é中😀"})"),
              "v1,AQyYvxa4AKvkZ3UuJW1IqhJq6tiYH2jO/LryJZ8a3JM=");
}

TEST(signature, all_secrets_sign_in_their_order) {
    EXPECT_EQ(sign_with({secret, private_key}, body), hmac_signature + " " + ed25519_signature);
    EXPECT_EQ(sign_with({private_key, secret}, body), ed25519_signature + " " + hmac_signature);
    EXPECT_EQ(sign_with({}, body), "");
}

TEST(signature, a_secret_may_lack_its_prefix_and_its_padding) {
    EXPECT_EQ(sign_with({secret.substr(6)}, body), hmac_signature);
    const std::string padded = "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNA==";  // 25 bytes
    EXPECT_EQ(sign_with({padded}, body), sign_with({padded.substr(0, padded.size() - 2)}, body));
    const std::string seed_only = "whsk_6Xb/dCcHpPea21PS1N9VY/NZW723CEc77N4rJCubMbc";
    EXPECT_EQ(sign_with({seed_only}, body), ed25519_signature);
}

TEST(signature, a_bad_secret_is_refused_by_its_place_and_never_shown) {
    const std::string sixty_five = "whsec_" + std::string(86, 'A') + "A=";
    for (const std::string& bad :
         {std::string(), std::string("whsec_"), std::string("whsec_c2hvcnQ="), sixty_five,
          std::string("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaS*"), std::string("whsk_AAAA"),
          std::string("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw===="),
          std::string("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2La LaSw"), public_key,
          private_key.substr(0, 50) + std::string(43, 'A')}) {
        try {
            const signer refused({secret, bad});
            FAIL() << bad;
        } catch (const error& thrown) {
            EXPECT_TRUE(thrown.sentence().starts_with("secrets[1] ")) << thrown.sentence();
            EXPECT_EQ(thrown.code(), errc::invalid_option);
            if (bad.size() > 12) {
                EXPECT_EQ(thrown.sentence().find(bad.substr(8)), std::string::npos);
            }
        }
    }
}

TEST(signature, one_that_fits_is_enough) {
    EXPECT_EQ(check_with(secret, hmac_signature), signature_check::valid);
    EXPECT_EQ(check_with(public_key, ed25519_signature), signature_check::valid);
    EXPECT_EQ(check_with(private_key, ed25519_signature), signature_check::valid);
    EXPECT_EQ(check_with(secret, "v1,AAAA v2,x " + hmac_signature), signature_check::valid);
    EXPECT_EQ(check_with(secret, hmac_signature + " v1,AAAA"), signature_check::valid);
}

TEST(signature, one_that_does_not_fit_is_refused) {
    EXPECT_EQ(check_with(other_secret, hmac_signature), signature_check::no_match);
    EXPECT_EQ(check_with(public_key, hmac_signature), signature_check::no_match);
    EXPECT_EQ(check_with(secret, hmac_signature.substr(0, 20)), signature_check::no_match);
    EXPECT_EQ(check_with(secret, hmac_signature.substr(3)), signature_check::no_match);
    EXPECT_EQ(check_with(secret, "v2" + hmac_signature.substr(2)), signature_check::no_match);
    EXPECT_EQ(check_with(secret, "v1,"), signature_check::no_match);
    EXPECT_EQ(check_with(secret, " "), signature_check::no_match);
}

TEST(signature, the_clocks_may_differ_by_the_tolerance) {
    EXPECT_EQ(check_with(secret, hmac_signature, signed_at + 300), signature_check::valid);
    EXPECT_EQ(check_with(secret, hmac_signature, signed_at + 301), signature_check::too_old);
    EXPECT_EQ(check_with(secret, hmac_signature, signed_at - 300), signature_check::valid);
    EXPECT_EQ(check_with(secret, hmac_signature, signed_at - 301), signature_check::too_new);
}

TEST(signature, headers_that_are_missing_or_no_time_are_refused) {
    const verifier with({secret});
    signature_headers headers;
    headers.id = id;
    headers.signature = hmac_signature;
    EXPECT_EQ(with.check(headers, body, signed_at), signature_check::missing);
    for (const char* bad : {"x", "-1", "1614265330.5", "1614265330 ", "99999999999999999999"}) {
        headers.timestamp = bad;
        EXPECT_EQ(with.check(headers, body, signed_at), signature_check::bad_timestamp) << bad;
    }
}

TEST(signature, a_verifier_without_keys_or_tolerance_is_refused) {
    EXPECT_THROW(verifier({}), error);
    EXPECT_THROW(verifier({secret}, std::chrono::seconds{0}), error);
}

}  // namespace
}  // namespace leasebox::http
