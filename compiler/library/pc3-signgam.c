/* lgamma and its like, which leave the sign in a variable. */

double lgamma_r(double, int *);
float lgammaf_r(float, int *);
long double lgammal_r(long double, int *);

int signgam __asm__("pc3_signgam");
double lgamma(double) __asm__("pc3_lgamma");
float lgammaf(float) __asm__("pc3_lgammaf");
long double lgammal(long double) __asm__("pc3_lgammal");
double gamma(double) __asm__("pc3_gamma");
float gammaf(float) __asm__("pc3_gammaf");
long double gammal(long double) __asm__("pc3_gammal");

double lgamma(double x)
{
    return lgamma_r(x, &signgam);
}

float lgammaf(float x)
{
    return lgammaf_r(x, &signgam);
}

long double lgammal(long double x)
{
    return lgammal_r(x, &signgam);
}

double gamma(double x)
{
    return lgamma(x);
}

float gammaf(float x)
{
    return lgammaf(x);
}

long double gammal(long double x)
{
    return lgammal(x);
}
